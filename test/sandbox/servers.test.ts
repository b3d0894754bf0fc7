// Needs bubblewrap and user namespaces; else its tests are skipped.
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ServerConnection } from '../../src/mcp/server-connection';
import { parseServer } from '../../src/mcp/server-config';
import { lookAtProcesses } from '../../src/tools/shell/process-table';
import { memory } from '../mcp/reference-servers';
import { until } from '../tools/shell/until';
import { sandboxedPlace, sandboxTest, type SandboxedPlace } from './sandboxed';

let place: SandboxedPlace;
const open: ServerConnection[] = [];
beforeEach(async () => {
  place = await sandboxedPlace();
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((connection) => connection.close()));
  await place.remove();
});

const memoryFile = () => path.join(place.outside, 'memory.json');

/** Where the server's program lies: a checkout may stand in a folder that is closed. */
const filesystem = { allowRead: [path.join(__dirname, '..', '..')] };

/** It was told to write outside of the workspace. */
async function connect(sandbox: object = {}, file = memoryFile()): Promise<ServerConnection> {
  const connection = await ServerConnection.open({
    name: 'memory',
    config: parseServer(memory(file), 'memory'),
    cwd: place.workspace,
    env: { PATH: process.env['PATH'] },
    host: null,
    sandbox: await place.state({ filesystem, ...sandbox }),
    version: '1.2.3',
    timeoutMs: 30_000,
    signal: new AbortController().signal,
  });
  open.push(connection);
  return connection;
}

function remember(connection: ServerConnection) {
  const options = {
    signal: new AbortController().signal,
    timeoutMs: 30_000,
    onProgress: () => undefined,
  };
  const entities = [{ name: 'a', entityType: 'b', observations: ['c'] }];
  return connection.callTool('create_entities', { entities }, options);
}

const serversHere = (): readonly number[] =>
  lookAtProcesses(new Set())
    .entries.filter(({ pid, isZombie }) => !isZombie && isOurServer(pid))
    .map(({ pid }) => pid);

function isOurServer(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(memoryFile());
  } catch {
    return false;
  }
}

sandboxTest('a server writes in the workspace and nowhere else', async () => {
  const insideFile = path.join(place.workspace, 'memory.json');

  const inside = await remember(await connect({}, insideFile));
  const outside = await remember(await connect());

  expect(inside.isError).not.toBe(true);
  expect(await readFile(insideFile, 'utf8')).toContain('"a"');
  expect(outside.isError).toBe(true);
  expect(JSON.stringify(outside.content)).toContain('EROFS');
  expect(existsSync(memoryFile())).toBe(false);
});

sandboxTest('a server that settings exclude runs outside', async () => {
  await remember(await connect({ excludedCommands: [`${process.execPath} *`] }));

  expect(existsSync(memoryFile())).toBe(true);
});

sandboxTest(
  'nothing of a server is left when it is closed, and no name in the workspace',
  async () => {
    const connection = await connect({ network: { allowedDomains: ['host.invalid'] } });
    expect(serversHere().length).toBeGreaterThan(0);

    await connection.close();

    await until(() => serversHere().length === 0);
    await until(async () => (await readdir(place.workspace)).length === 0);
  },
);
