// Needs a Temporal binary (found or downloaded once); starts servers of its own in temporary folders.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

import { Client, Connection } from '@temporalio/client';

import { requireCli, type CliSearch } from '../../src/server/find-cli';
import {
  ensureServer,
  findServer,
  serverStatus,
  stopServer,
  type ServerOptions,
} from '../../src/server/local-server';
import { processIdentity } from '../../src/server/process-identity';
import { readServerRecord, writeServerRecord } from '../../src/server/server-record';
import { kill } from '../support/kill';
import { cliSearch, startServerScript } from '../support/temporal';

const ANY_PORTS = { frontend: 0, ui: 0 };

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'everloop-local-server-'));
});

afterEach(async () => {
  await stopServer(home);
  await rm(home, { recursive: true, force: true });
});

function options(changes: Partial<ServerOptions> = {}): ServerOptions {
  return { home, cli: cliSearch(), ports: ANY_PORTS, ...changes };
}

/** A stand-in for the binary: says that it is `serverVersion`, and does `onStart` when told to serve. */
async function fakeCli(serverVersion: string, onStart: string): Promise<CliSearch> {
  const path = join(home, `temporal-${serverVersion}`);
  const version = `temporal version 1.9.1 (Server ${serverVersion}, UI 2.0.0)`;
  await writeFile(path, `#!/bin/sh\n[ "$1" = --version ] && exec echo '${version}'\n${onStart}\n`);
  await chmod(path, 0o755);
  return { ...cliSearch(), configured: path };
}

async function untilGone(pid: number): Promise<void> {
  while (await processIdentity(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
}

function startInOwnProcess(): ChildProcess {
  return spawn(process.execPath, startServerScript(home), { stdio: ['ignore', 'pipe', 'inherit'] });
}

test('a server is started once, answers, and is found by the next command', async () => {
  const started = await ensureServer(options());
  const again = await ensureServer(options());
  const found = await findServer(home);

  expect(again).toEqual(started);
  expect(found).toEqual(started);
  const ui = await fetch(started.uiUrl);
  expect(ui.status).toBe(200);
});

test('two processes at the same moment start one server', async () => {
  const children = [startInOwnProcess(), startInOwnProcess(), startInOwnProcess()];

  const addresses = await Promise.all(children.map((child) => text(child.stdout!)));

  expect(addresses[0]).toMatch(/^127\.0\.0\.1:\d+\n$/);
  expect(new Set(addresses).size).toBe(1);
  const folder = await readdir(join(home, 'server'));
  expect(folder.filter((name) => name.startsWith('lock.'))).toHaveLength(1);
});

test('the server outlives the process that started it, and holds none of its pipes', async () => {
  const child = startInOwnProcess();

  // `text` ends when the last holder of the pipe has closed it.
  const [address] = await Promise.all([text(child.stdout!), once(child, 'exit')]);

  const found = await findServer(home);
  expect(found?.address).toBe(address.trim());
});

test('a process that dies while the server starts leaves it to the next one', async () => {
  const child = startInOwnProcess();
  while (!readServerRecord(home)) await new Promise((resolve) => setTimeout(resolve, 5));
  await kill(child);
  const pid = readServerRecord(home)?.pid;

  const server = await ensureServer(options());

  expect(server.pid).toBe(pid);
});

test('a killed server comes back on the same ports with the same Workflows', async () => {
  const before = await ensureServer(options());
  const connection = await Connection.connect({ address: before.address });
  await new Client({ connection }).workflow.start('w', { taskQueue: 'q', workflowId: 'kept' });
  await connection.close();
  process.kill(before.pid, 'SIGKILL');
  await untilGone(before.pid);
  expect(await findServer(home)).toBeUndefined();

  const after = await ensureServer(options({ ports: {} }));

  expect(after.pid).not.toBe(before.pid);
  expect(after.address).toBe(before.address);
  expect(after.uiUrl).toBe(before.uiUrl);
  const reconnected = await Connection.connect({ address: after.address });
  const { status } = await new Client({ connection: reconnected }).workflow
    .getHandle('kept')
    .describe();
  await reconnected.close();
  expect(status.name).toBe('RUNNING');
});

test('a server of another version gets another database', async () => {
  const { path } = await requireCli(cliSearch());
  await ensureServer(options());
  const current = await serverStatus(home);
  await stopServer(home);

  await ensureServer(options({ cli: await fakeCli('9.9.9', `exec '${path}' "$@"`) }));

  const newer = await serverStatus(home);
  expect(current).toMatchObject({ database: expect.not.stringContaining('9.9.9') as string });
  expect(newer).toMatchObject({ database: join(home, 'server', 'temporal-9.9.9.db') });
});

test('search attributes are registered at the start', async () => {
  const searchAttributes = { EverloopState: 'Keyword', EverloopTurns: 'Int' };

  const { address } = await ensureServer(options({ searchAttributes }));

  const connection = await Connection.connect({ address });
  const { customAttributes } = await connection.operatorService.listSearchAttributes({
    namespace: 'default',
  });
  await connection.close();
  expect(Object.keys(customAttributes)).toEqual(
    expect.arrayContaining(Object.keys(searchAttributes)),
  );
});

test('what the server writes is private, and it inherits no secret', async () => {
  process.env['EVERLOOP_TEST_SECRET'] = 'sk-secret';

  const { pid } = await ensureServer(options());

  delete process.env['EVERLOOP_TEST_SECRET'];
  const folder = join(home, 'server');
  const modes = await Promise.all(
    (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).mode & 0o777),
  );
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect(new Set(modes)).toEqual(new Set([0o600]));
  if (process.platform === 'linux') {
    expect(await readFile(`/proc/${pid}/environ`, 'utf8')).not.toContain('sk-secret');
  }
});

test('a port that was asked for and is taken is named, with the cure', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };

  const failure = ensureServer(options({ ports: { frontend: port } }));

  await expect(failure).rejects.toMatchObject({
    code: 'port_taken',
    message: expect.stringMatching(new RegExp(`Port ${port}.*Choose another port`)) as string,
  });
  other.close();
});

test('a port lost between our look and the start costs another attempt, not the start', async () => {
  const { path } = await requireCli(cliSearch());
  const lost = 'echo "Error: bind: address already in use" >&2; exit 1';
  const cli = await fakeCli(
    '1.32.0',
    `mkdir '${home}/first' 2>/dev/null && { ${lost}; }; exec '${path}' "$@"`,
  );

  const server = await ensureServer(options({ cli }));

  expect(await findServer(home)).toEqual(server);
});

test('a server that ends while it starts is reported with the end of its own log', async () => {
  await mkdir(join(home, 'server'));
  await writeFile(join(home, 'server', 'server.log'), 'a line of last week\n');
  const cli = await fakeCli('1.32.0', 'echo "Error: disk is on fire" >&2; exit 3');

  const failure = await ensureServer(options({ cli })).catch((error: unknown) => error);

  expect(failure).toMatchObject({ code: 'start_failed' });
  expect(String(failure)).toMatch(/exit code 3/);
  expect(String(failure)).toMatch(/disk is on fire/);
  expect(String(failure)).not.toMatch(/last week/);
  expect(readServerRecord(home)).toBeUndefined();
});

test('stop ends the server and says whether there was one', async () => {
  const { pid } = await ensureServer(options());
  const running = await serverStatus(home);

  const answers = [await stopServer(home), await stopServer(home)];

  expect(running).toMatchObject({ running: true, serving: true, pid });
  expect(answers).toEqual([true, false]);
  expect(await processIdentity(pid)).toBeUndefined();
  expect(await serverStatus(home)).toEqual({ running: false });
});

test('stop leaves a stranger alone that has the pid of a server long gone', async () => {
  const stranger = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  await mkdir(join(home, 'server'));
  writeServerRecord(home, {
    address: '127.0.0.1:1',
    uiUrl: 'http://127.0.0.1:2',
    pid: stranger.pid!,
    startedAt: '2026-01-01T00:00:00.000Z',
    cliVersion: '1.9.1',
    database: join(home, 'server', 'temporal-1.32.0.db'),
    ports: { frontend: 1, ui: 2 },
  });

  const stopped = await stopServer(home);

  expect(stopped).toBe(false);
  expect(await processIdentity(stranger.pid!)).toBeDefined();
  expect(readServerRecord(home)).toBeUndefined();
  stranger.kill();
});

test("another home's server on the recorded port is not taken for ours", async () => {
  const theirs = await ensureServer(options());
  const record = readServerRecord(home)!;
  const ours = await mkdtemp(join(tmpdir(), 'everloop-local-server-'));
  await mkdir(join(ours, 'server'));
  writeServerRecord(ours, { ...record, database: join(ours, 'server', 'temporal-1.32.0.db') });

  const found = await findServer(ours);

  expect(found).toBeUndefined();
  expect(await findServer(home)).toEqual(theirs);
  await rm(ours, { recursive: true });
});
