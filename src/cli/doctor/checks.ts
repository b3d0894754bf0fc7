import { chmod, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../../config';
import { PRICES_AS_OF } from '../../loop/price-table';
import { loadOwnPrices, pricesFile } from '../../prices/own-prices';
import type { ServerStatus } from '../../server/local-server';
import type { TemporalCli } from '../../server/temporal-cli';
import { REGISTER_COMMAND } from '../../visibility/register-attributes';
import { fine, wrong, type Check } from './check';

const NEEDED_NODE = [20, 19] as const;
/** A full disk stops every session at once; this is room for some days of records. */
const NEEDED_BYTES = 1024 ** 3;

export function nodeCheck(version: string): Check {
  return {
    name: 'Node',
    run: () => {
      const [major = 0, minor = 0] = version.split('.').map(Number);
      const isEnough =
        major > NEEDED_NODE[0] || (major === NEEDED_NODE[0] && minor >= NEEDED_NODE[1]);
      return Promise.resolve(
        isEnough
          ? fine(version)
          : wrong(`${version} is too old`, `Install Node ${NEEDED_NODE.join('.')} or newer.`),
      );
    },
  };
}

export function homeCheck(home: string): Check {
  return {
    name: 'Home folder',
    run: async (repair) => {
      const found = await stat(home).catch(() => undefined);
      if (!found) return fine(`${home} is made when it is needed`);
      const mode = found.mode & 0o777;
      if ((mode & 0o077) === 0) return fine(home);
      if (repair) {
        await chmod(home, 0o700);
        return fine(`${home}, closed to others now`);
      }
      return wrong(
        `${home} is open to others (mode ${mode.toString(8)})`,
        `Run: chmod 700 ${home}, or everloop doctor --repair.`,
      );
    },
  };
}

/** What costs are reckoned with. */
export function pricesCheck(home: string): Check {
  return {
    name: 'Prices',
    run: async () => {
      const { asOf, models } = loadOwnPrices(home);
      const table = `the built-in table of ${PRICES_AS_OF}`;
      return fine(
        models.size === 0
          ? table
          : `${pricesFile(home)} of ${asOf} for ${[...models.keys()].join(', ')}, else ${table}`,
      );
    },
  };
}

export function diskCheck(home: string): Check {
  return {
    name: 'Disk space',
    run: async () => {
      const { bavail, bsize } = await statfs(await nearestExisting(home));
      const gigabytes = ((bavail * bsize) / 1024 ** 3).toFixed(1);
      return bavail * bsize >= NEEDED_BYTES
        ? fine(`${gigabytes} GB free`)
        : wrong(`only ${gigabytes} GB free for ${home}`, 'Make room, or set EVERLOOP_HOME.');
    },
  };
}

export function cliCheck(
  config: Pick<Config, 'hasTemporalAddress'>,
  findCli: () => Promise<TemporalCli | undefined>,
): Check {
  return {
    name: 'Temporal command line',
    run: async () => {
      if (config.hasTemporalAddress) return fine('not needed: TEMPORAL_ADDRESS names a server');
      const cli = await findCli();
      return cli
        ? fine(`${cli.path}, version ${cli.version}`)
        : wrong('not found', 'Run: everloop server start, which fetches it, or install temporal.');
    },
  };
}

export function serverCheck(
  config: Pick<Config, 'hasTemporalAddress'>,
  status: () => Promise<ServerStatus>,
): Check {
  return {
    name: 'Local server',
    run: async () => {
      if (config.hasTemporalAddress) return fine('not used: TEMPORAL_ADDRESS names a server');
      const found = await status();
      if (!found.running) return fine('not running; it starts when it is needed');
      return found.serving
        ? fine(`answers at ${found.address}`)
        : wrong(
            `process ${found.pid} does not answer at ${found.address}`,
            'Run: everloop server stop; the next command starts it again.',
          );
    },
  };
}

/** Without them all works, but sessions cannot be found by what they do. `problem`: undefined when no server runs. */
export function searchAttributesCheck(problem: () => Promise<string | null | undefined>): Check {
  return {
    name: 'Search attributes',
    run: async () => {
      const found = await problem();
      if (found === undefined) return fine('registered when the server starts');
      return found === null
        ? fine('registered')
        : wrong(found, `Have an administrator run: ${REGISTER_COMMAND}`);
    },
  };
}

export function credentialsCheck(config: Pick<Config, 'apiKey' | 'authToken' | 'baseUrl'>): Check {
  return {
    name: 'Credentials',
    run: () =>
      Promise.resolve(
        config.apiKey !== null || config.authToken !== null
          ? fine(`${config.apiKey ? 'API key' : 'token'} for ${config.baseUrl}`)
          : wrong(`none for ${config.baseUrl}`, 'Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN.'),
      ),
  };
}

async function nearestExisting(folder: string): Promise<string> {
  const exists = await stat(folder).then(
    () => true,
    () => false,
  );
  return exists ? folder : nearestExisting(path.dirname(folder));
}
