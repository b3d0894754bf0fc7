import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ConfiguredServer } from '../../src/mcp/configured-servers';
import { McpSessions } from '../../src/mcp/mcp-sessions';
import { ServerConnection } from '../../src/mcp/server-connection';
import { parseServer } from '../../src/mcp/server-config';
import { hasMark, lookAtProcesses } from '../../src/tools/shell/process-table';
import type { Tool, ToolContext } from '../../src/tools/tool';
import { everything, filesystem, memory } from './reference-servers';

let folder: string;
let sessions: McpSessions;
let configured: Record<string, object>;

const ready = ([name, raw]: [string, object]): ConfiguredServer => ({
  name,
  scope: 'project',
  state: { type: 'ready', config: parseServer(raw, name) },
});

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-mcp-')));
  configured = { everything: everything() };
  sessions = new McpSessions({
    limits: { startMs: 30_000, callMs: 60_000, resultChars: 100_000 },
    version: '1.2.3',
    host: null,
    idleMs: null,
    connect: (options) => ServerConnection.open(options),
    read: async () => ({
      servers: Object.entries(configured).map(ready),
      problems: [],
      env: { PATH: process.env['PATH'], HOME: folder, ANTHROPIC_API_KEY: 'secret' },
    }),
  });
});
afterEach(async () => {
  await sessions.closeAll();
  rmSync(folder, { recursive: true });
});

const place = () => ({ sessionId: 's', cwd: folder, options: {} });
const servers = () => sessions.of(place());

async function tools(): Promise<readonly Tool[]> {
  return sessions.tools(await servers().refresh(), place());
}

async function tool(name: string): Promise<Tool> {
  const found = (await tools()).find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no tool ${name}.`);
  return found;
}

const context = (changes: Partial<ToolContext> = {}): ToolContext => ({
  workingDirectory: folder,
  roots: [folder],
  filesSeen: new Map(),
  callFolder: join(folder, 'call'),
  shellsFolder: null,
  todosFile: null,
  askSmallModel: null,
  attempt: 1,
  signal: new AbortController().signal,
  workerGone: new AbortController().signal,
  onProgress: () => undefined,
  ...changes,
});

/** Process of a server, from its own mouth: the reference server says its environment. */
const serverEnvironment = async (): Promise<Record<string, string>> => {
  const { content } = await (await tool('mcp__everything__get-env')).call({}, context());
  return JSON.parse(content as string) as Record<string, string>;
};

/** Processes that have the line in their environment. */
const pidsOf = (line: string): readonly number[] =>
  lookAtProcesses(new Set())
    .entries.filter(({ pid }) => hasMark(pid, { environmentLine: line, lockLimit: null }))
    .map(({ pid }) => pid);

test('tools, prompts and resources of three servers come in the order of their names, the same each time', async () => {
  configured = {
    memory: memory(join(folder, 'memory.json')),
    files: filesystem(folder),
    everything: everything(),
  };

  const first = await tools();
  const second = await tools();

  const names = first.map(({ name }) => name).filter((name) => name.startsWith('mcp__'));
  expect(names).toEqual([...names].sort());
  expect(new Set(names.map((name) => name.split('__')[1]))).toEqual(
    new Set(['everything', 'files', 'memory']),
  );
  expect(second.map(({ name, inputJsonSchema }) => [name, inputJsonSchema])).toEqual(
    first.map(({ name, inputJsonSchema }) => [name, inputJsonSchema]),
  );
});

test('a tool that says it only reads may overlap and be repeated; any other may not', async () => {
  const echo = await tool('mcp__everything__echo');
  const research = await tool('mcp__everything__simulate-research-query');

  expect([echo.isReadOnly({}), echo.isConcurrencySafe({}), echo.effect]).toEqual([
    true,
    true,
    'rerun',
  ]);
  expect([research.isReadOnly({}), research.isConcurrencySafe({}), research.effect]).toEqual([
    false,
    false,
    'unknown',
  ]);
});

test('a server gets no keys of ours, and those that its entry names', async () => {
  configured = { everything: { ...everything(), env: { OWN_KEY: 'own' } } };

  const env = await serverEnvironment();

  expect(env).toMatchObject({ HOME: folder, OWN_KEY: 'own', CLAUDE_PROJECT_DIR: folder });
  expect(env).not.toHaveProperty('ANTHROPIC_API_KEY');
});

test('an image is shown as an image, and the structured form is shown exactly', async () => {
  const image = await (await tool('mcp__everything__get-tiny-image')).call({}, context());
  const structured = await (
    await tool('mcp__everything__get-structured-content')
  ).call({ location: 'Chicago' }, context());

  expect(image.content).toContainEqual({
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: expect.any(String) as string },
  });
  expect(JSON.parse(structured.content as string)).toHaveProperty('temperature');
});

test('what the server refuses is an error that the model reads', async () => {
  const { content, isError } = await (
    await tool('mcp__everything__get-sum')
  ).call({ a: 'x' }, context());

  expect(isError).toBe(true);
  expect(content).toContain('Invalid');
});

test('resources are listed and read', async () => {
  const list = await tool('ListMcpResourcesTool');
  const read = await tool('ReadMcpResourceTool');

  const { structured } = await list.call({}, context());
  const [{ uri }] = structured as [{ uri: string }];
  const { content } = await read.call({ server: 'everything', uri }, context());

  expect(uri).toMatch(/^demo:/);
  expect(content).not.toBe('');
  await expect(read.call({ server: 'none', uri }, context())).rejects.toThrow(
    'No MCP server "none" has resources. Those that have: everything.',
  );
});

test('a server that cannot be started costs its own tools only, and says why', async () => {
  configured = { ...configured, none: { command: 'no-such-program' } };

  const { servers: all } = await servers().refresh();

  expect(all.map(({ name, status }) => [name, status])).toEqual([
    ['everything', 'connected'],
    ['none', 'failed'],
  ]);
  expect(all[1]?.error).toBe(
    'MCP server "none" did not start: "no-such-program" cannot be started: no-such-program: not found. Correct its command.',
  );
});

test('a server that died between two calls is started again by the next call', async () => {
  configured = { everything: { ...everything(), env: { MARK: `${folder}-1` } } };
  const echo = await tool('mcp__everything__echo');
  const [leader] = pidsOf(`MARK=${folder}-1`);

  process.kill(leader!, 'SIGKILL');
  while (pidsOf(`MARK=${folder}-1`).includes(leader!)) await pause(10);
  const { content } = await echo.call({ message: 'still here' }, context());

  expect(content).toBe('Echo: still here');
});

test('a call whose server dies under it has an unknown outcome, and the tools stay until the next message', async () => {
  configured = { everything: { ...everything(), env: { MARK: `${folder}-2` } } };
  const before = await servers().refresh();
  const [server] = before.servers;
  const long = server!.tools.find(({ name }) => name === 'trigger-long-running-operation');
  const changing = { servers: [{ ...server!, tools: [{ ...long!, annotations: {} }] }] };
  const [slow] = sessions.tools(changing, place()).slice(-1);
  const [leader] = pidsOf(`MARK=${folder}-2`);
  const progressed = new Promise<void>((resolve) => {
    const call = slow!.call(
      { duration: 600, steps: 6000 },
      context({ onProgress: () => resolve() }),
    );
    outcome = call.catch((error: unknown) => error);
  });

  await progressed;
  process.kill(leader!, 'SIGKILL');

  expect(await outcome).toMatchObject({
    name: 'OutcomeUnknown',
    message: expect.stringContaining('it was ended by SIGKILL') as string,
  });
  expect(sessions.tools(before, place()).length).toBeGreaterThan(10);
});
let outcome: Promise<unknown>;

test('a call that is stopped tells its server, and rejects with the reason', async () => {
  const slow = await tool('mcp__everything__trigger-long-running-operation');
  const stop = new AbortController();
  const progressed = new Promise<void>((resolve) => {
    const call = slow.call(
      { duration: 600, steps: 6000 },
      context({ signal: stop.signal, onProgress: () => resolve() }),
    );
    outcome = call.catch((error: unknown) => error);
  });

  await progressed;
  stop.abort(new Error('Stopped by the test.'));

  expect(await outcome).toEqual(new Error('Stopped by the test.'));
});

test('an entry that is changed is another server; one that is gone is ended', async () => {
  configured = { everything: { ...everything(), env: { MARK: `${folder}-3` } } };
  await tools();

  configured = { files: filesystem(folder) };
  const { servers: all } = await servers().refresh();

  expect(all.map(({ name }) => name)).toEqual(['files']);
  while (pidsOf(`MARK=${folder}-3`).length > 0) await pause(10);
});
