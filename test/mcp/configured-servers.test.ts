import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfiguration, type ConfigurationPlace } from '../../src/mcp/configured-servers';
import { readConfigArgument } from '../../src/mcp/server-files';
import type { SettingsLayer } from '../../src/settings/settings';

let root: string;
let cwd: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-mcp-')));
  cwd = join(root, 'work', 'project');
  mkdirSync(cwd, { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

const server = (command: string, more: object = {}) => ({ command, ...more });

function write(file: string, servers: object, more: object = {}): void {
  writeFileSync(join(root, file), JSON.stringify({ mcpServers: servers, ...more }));
}

const settings = (source: SettingsLayer['source'], raw: SettingsLayer['raw']): SettingsLayer => ({
  source,
  file: `/${source}.json`,
  raw,
});

async function read(changes: Partial<ConfigurationPlace> = {}) {
  const { servers, problems } = await readConfiguration({
    cwd,
    configDir: join(root, 'home', '.claude'),
    homeFolder: join(root, 'home'),
    given: [],
    isStrict: false,
    layers: [],
    env: {},
    ...changes,
  });
  const shown = servers.map(({ name, scope, state }) => [
    name,
    scope,
    state.type === 'ready' && 'command' in state.config ? state.config.command : state.type,
  ]);
  return { servers, problems, shown };
}

test('a stronger place replaces a server of the same name: command line, local, project, user', async () => {
  mkdirSync(join(root, 'home'));
  write(
    'home/.claude.json',
    { a: server('user'), b: server('user'), c: server('user'), d: server('user') },
    { projects: { [cwd]: { mcpServers: { c: server('local'), d: server('local') } } } },
  );
  write('work/project/.mcp.json', { b: server('project'), c: server('project') });

  const { shown } = await read({ given: [{ d: server('given') }] });

  expect(shown).toEqual([
    ['a', 'user', 'user'],
    ['b', 'project', 'project'],
    ['c', 'local', 'local'],
    ['d', 'dynamic', 'given'],
  ]);
});

test('.mcp.json of folders above counts too, and the nearest has the last word', async () => {
  write('work/.mcp.json', { a: server('above'), b: server('above') });
  write('work/project/.mcp.json', { b: server('here') });

  const { shown } = await read();

  expect(shown.map(([name, , command]) => [name, command])).toEqual([
    ['a', 'above'],
    ['b', 'here'],
  ]);
});

test('with --strict-mcp-config nothing else counts', async () => {
  write('work/project/.mcp.json', { a: server('project') });

  const { shown } = await read({ given: [{ b: server('given') }], isStrict: true });

  expect(shown).toEqual([['b', 'dynamic', 'given']]);
});

test('settings that are not loaded bring no servers', async () => {
  write('work/project/.mcp.json', { a: server('project') });

  expect((await read({ sources: [] })).shown).toEqual([]);
  expect((await read({ sources: ['project'] })).shown).toHaveLength(1);
});

test.each<[string, Record<string, unknown>, string, string]>([
  ['nothing is said', {}, 'x', 'x'],
  ['one of them is disabled', { disabledMcpjsonServers: ['a'] }, 'disabled', 'x'],
  ['one of them is approved', { enabledMcpjsonServers: ['a'] }, 'x', 'pending'],
  [
    'all are approved, beside one by name',
    { enabledMcpjsonServers: ['a'], enableAllProjectMcpServers: true },
    'x',
    'x',
  ],
  [
    'all are approved and one is disabled',
    { disabledMcpjsonServers: ['b'], enableAllProjectMcpServers: true },
    'x',
    'disabled',
  ],
])('servers of .mcp.json when %s', async (_when, raw, a, b) => {
  write('work/project/.mcp.json', { a: server('x'), b: server('x') });

  const { shown } = await read({ layers: [settings('user', raw)] });

  expect(shown.map(([, , state]) => state)).toEqual([a, b]);
});

test('variables are filled in everywhere, with their defaults, and once', async () => {
  write('work/project/.mcp.json', {
    a: { command: '${TOOL}', args: ['--at=${WHERE:-here}'], env: { KEY: '${KEY}' } },
    b: { type: 'http', url: 'https://${HOST}/mcp', headers: { Authorization: 'Bearer ${KEY}' } },
  });

  const { servers } = await read({ env: { TOOL: 'run', KEY: '${TOOL}', HOST: 'example.org' } });

  expect(servers.map(({ state }) => state)).toMatchObject([
    { config: { command: 'run', args: ['--at=here'], env: { KEY: '${TOOL}' } } },
    { config: { url: 'https://example.org/mcp', headers: { Authorization: 'Bearer ${TOOL}' } } },
  ]);
});

test.each<[object, RegExp]>([
  [
    { command: 'x', args: ['${TOKEN}'] },
    /"a" needs TOKEN, which is not set\. Set it .*\$\{TOKEN:-value\}/,
  ],
  [{ command: 'x', args: 'y' }, /"a": args must be a list of strings/],
  [{}, /"a": command must be the program to start/],
  [{ url: 'https://x' }, /has a url and no type\. Add "type": "http"/],
  [{ type: 'http', url: 'ftp://x' }, /url must be a URL that begins with http/],
  [{ type: 'ws', url: 'ws://x' }, /has the type "ws"\. Use stdio, http or sse/],
])('an entry that cannot be used says why and costs no other: %j', async (entry, message) => {
  write('work/project/.mcp.json', { a: entry, b: server('x') });

  const { servers } = await read();

  expect(servers[0]?.state).toMatchObject({
    type: 'unusable',
    detail: expect.stringMatching(message) as string,
  });
  expect(servers[1]?.state.type).toBe('ready');
});

test('a file that is not JSON is named, and other files count', async () => {
  mkdirSync(join(root, 'home'));
  write('home/.claude.json', { a: server('user') });
  writeFileSync(join(cwd, '.mcp.json'), '{ nonsense');

  const { shown, problems } = await read();

  expect(shown).toEqual([['a', 'user', 'user']]);
  expect(problems).toEqual([expect.stringContaining(`${join(cwd, '.mcp.json')} is not JSON`)]);
});

test('--mcp-config takes JSON or a file, and says which file is missing', async () => {
  write('servers.json', { a: server('x') });

  expect(await readConfigArgument('{"mcpServers":{"b":{}}}', cwd)).toEqual({ b: {} });
  expect(await readConfigArgument('../../servers.json', cwd)).toEqual({ a: { command: 'x' } });
  await expect(readConfigArgument('none.json', cwd)).rejects.toThrow(
    `${join(cwd, 'none.json')}, given by --mcp-config, does not exist`,
  );
});
