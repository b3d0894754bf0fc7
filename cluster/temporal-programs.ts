import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);

const MODULE = 'go.temporal.io/server';
/** What the images are called that have the same programs. */
const PROGRAMS = { server: 'temporal-server', sql: 'temporal-sql-tool' } as const;
const BUILD_TIMEOUT_MS = 40 * 60_000;
const DOWNLOAD_TIMEOUT_MS = 10 * 60_000;

export interface TemporalPrograms {
  /** Folder with `temporal-server` and `temporal-sql-tool`. */
  readonly folder: string;
  /** As `/etc/temporal/schema/postgresql/v12` of the image. */
  readonly schemaFolder: string;
}

interface Surroundings {
  readonly env: Environment;
  /** Ends the build. */
  readonly closing: AbortSignal;
  readonly onProgress: (line: string) => void;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The programs of a release of the Temporal server: found in the user's cache, else built from the Go module, which
 *  takes minutes once. `version`: as 1.32.0. Fails: Error that says what go said, and the cure. */
export async function requireTemporal(
  version: string,
  { env, closing, onProgress }: Surroundings,
): Promise<TemporalPrograms> {
  const folder = join(cacheFolder(env), `temporal-server-v${version}`);
  const names = Object.values(PROGRAMS);
  try {
    if (!names.every((name) => existsSync(join(folder, name)))) {
      onProgress(`Building the Temporal server ${version} with go, which takes minutes, once ...`);
      await build(version, folder, { env, closing });
    }
    return { folder, schemaFolder: join(await sourceFolder(version, { env, closing }), SCHEMA) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The Temporal server ${version} cannot be built: ${reason}. It needs go 1.26 on the PATH and a Go module proxy.`,
      { cause: error },
    );
  }
}

const SCHEMA = join('schema', 'postgresql', 'v12');

async function build(
  version: string,
  folder: string,
  { env, closing }: Pick<Surroundings, 'env' | 'closing'>,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  // Two may build at the same time: each in a folder of its own, and a rename is atomic.
  const draft = mkdtempSync(join(folder, 'draft-'));
  try {
    const packages = [`${MODULE}/cmd/server@v${version}`, `${MODULE}/cmd/tools/sql@v${version}`];
    await run('nice', ['-n', '10', 'go', 'install', ...packages], {
      cwd: folder,
      env: { ...env, GOBIN: draft },
      signal: closing,
      timeout: BUILD_TIMEOUT_MS,
    });
    for (const [built, name] of Object.entries(PROGRAMS)) {
      renameSync(join(draft, built), join(folder, name));
    }
  } finally {
    rmSync(draft, { recursive: true });
  }
}

/** The module's source, which has the schemas. */
async function sourceFolder(
  version: string,
  { env, closing }: Pick<Surroundings, 'env' | 'closing'>,
): Promise<string> {
  const { stdout } = await run('go', ['mod', 'download', '-json', `${MODULE}@v${version}`], {
    env: { ...env },
    signal: closing,
    timeout: DOWNLOAD_TIMEOUT_MS,
  });
  return z.object({ Dir: z.string() }).parse(JSON.parse(stdout)).Dir;
}

function cacheFolder(env: Environment): string {
  const given = env['XDG_CACHE_HOME'] ?? '';
  return join(given === '' ? join(homedir(), '.cache') : given, 'everloop');
}
