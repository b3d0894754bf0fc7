import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { loadSettings, type SettingsPlace } from '../../src/settings/settings';
import { SettingsError } from '../../src/settings/settings-file';

let folder: string;
let place: SettingsPlace & { managedFile: string };

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'everloop-settings-'));
  place = {
    cwd: path.join(folder, 'project'),
    configDir: path.join(folder, 'home/.claude'),
    homeFolder: path.join(folder, 'home'),
    managedFile: path.join(folder, 'managed.json'),
  };
});

afterEach(() => rm(folder, { recursive: true }));

const FILES = {
  managed: () => place.managedFile,
  local: () => path.join(place.cwd, '.claude/settings.local.json'),
  project: () => path.join(place.cwd, '.claude/settings.json'),
  user: () => path.join(place.configDir, 'settings.json'),
};

async function write(which: keyof typeof FILES, content: unknown): Promise<string> {
  const file = FILES[which]();
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

test('without any file there are no settings', async () => {
  expect(await loadSettings(place)).toEqual({
    rules: [],
    defaultMode: null,
    additionalDirectories: [],
    env: {},
    model: null,
    autoCompact: true,
    gitInstructions: true,
    sandbox: expect.objectContaining({ enabled: null, autoAllow: false }) as unknown,
    approvals: { timeout: null, requireSignature: false, signers: {} },
    warnings: [],
    layers: [],
  });
});

test('single values come from the strongest file that has them', async () => {
  await write('user', {
    model: 'user',
    permissions: { defaultMode: 'plan' },
    env: { A: 'u', B: 'u', C: 1 },
  });
  await write('project', { model: 'project', env: { A: 'p' } });
  await write('local', { model: 'local' });
  const withoutCli = await loadSettings(place);
  const withCli = await loadSettings({ ...place, cli: '{"model": "cli", "env": {"B": "c"}}' });
  await write('managed', { model: 'managed' });
  const withManaged = await loadSettings({ ...place, cli: '{"model": "cli"}' });

  expect([withoutCli.model, withCli.model, withManaged.model]).toEqual(['local', 'cli', 'managed']);
  expect(withCli.env).toEqual({ A: 'p', B: 'c', C: '1' });
  expect(withCli.defaultMode).toBe('plan');
});

test('rules of all files are kept with their source, strongest first', async () => {
  await write('user', { permissions: { allow: ['Read(/notes)'], deny: ['Bash(rm:*)'] } });
  await write('project', { permissions: { ask: ['Edit'] } });
  await write('managed', { permissions: { deny: ['WebFetch'] } });

  const { rules } = await loadSettings({ ...place, cli: '{"permissions": {"allow": ["Bash"]}}' });

  expect(
    rules.map(({ behavior, tool, content, origin }) => [origin.source, behavior, tool, content]),
  ).toEqual([
    ['managed', 'deny', 'WebFetch', null],
    ['cli', 'allow', 'Bash', null],
    ['project', 'ask', 'Edit', null],
    ['user', 'deny', 'Bash', 'rm:*'],
    ['user', 'allow', 'Read', '/notes'],
  ]);
  expect(rules.at(-1)?.origin.settingsFolder).toBe(place.configDir);
});

test('additional folders are absolute', async () => {
  await write('user', { permissions: { additionalDirectories: ['~/notes', '/abs'] } });
  await write('local', { permissions: { additionalDirectories: ['../lib'] } });

  const { additionalDirectories } = await loadSettings(place);

  expect(additionalDirectories).toEqual([
    path.join(folder, 'lib'),
    path.join(folder, 'home/notes'),
    '/abs',
  ]);
});

test('--settings may name a file, and --setting-sources leaves files out', async () => {
  await write('user', { model: 'user' });
  await write('project', { model: 'project' });
  await mkdir(place.cwd, { recursive: true });
  await writeFile(path.join(place.cwd, 'my.json'), '{"hooks": {"Stop": []}}');

  const settings = await loadSettings({ ...place, cli: 'my.json', sources: ['user'] });

  expect(settings.model).toBe('user');
  expect(settings.layers.map(({ source, raw }) => [source, raw])).toEqual([
    ['cli', { hooks: { Stop: [] } }],
    ['user', { model: 'user' }],
  ]);
});

test('unknown keys are no error, and a project cannot choose mode auto', async () => {
  await write(
    'project',
    '\uFEFF{"novelty": {"x": 1}, "permissions": {"defaultMode": "auto", "y": 2}}',
  );

  const { defaultMode, warnings } = await loadSettings(place);

  expect(defaultMode).toBeNull();
  expect(warnings.join()).toMatch(/settings\.json: permissions\.defaultMode is "auto": a project/);
});

test('the user can choose mode auto', async () => {
  await write('user', { permissions: { defaultMode: 'auto' } });

  expect((await loadSettings(place)).defaultMode).toBe('auto');
});

test.each([
  ['{\n  "model": "x",\n}', /is not JSON: line 3, column 1, at "}"\. Correct it there/],
  ['{"model": 7}', /model is 7: it must be a model or alias\. Correct or remove it/],
  ['[]', /the whole is \[\]: it must be an object/],
  [
    { permissions: { defaultMode: 'yolo' } },
    /permissions\.defaultMode is "yolo": it must be one of default, acceptEdits, plan/,
  ],
  [
    { permissions: { allow: 'Bash' } },
    /permissions\.allow is "Bash": it must be a list of permission rules/,
  ],
  [
    { permissions: { deny: ['Read', 'Bash('] } },
    /permissions\.deny\.1 is "Bash\(": Permission rule "Bash\(" cannot be read\. Write it as/,
  ],
])('%j is refused: %s', async (content, message) => {
  const file = await write('project', content);

  const loading = loadSettings(place);

  await expect(loading).rejects.toThrow(SettingsError);
  await expect(loading).rejects.toThrow(message);
  await expect(loading).rejects.toThrow(`Settings file ${file}`);
});

test('a value that cannot be used is named with its line', async () => {
  await write('project', '{\n  "permissions": {\n    "allow": ["Read",\n      "Bash("]}}');

  await expect(loadSettings(place)).rejects.toThrow(/line 4: permissions\.allow\.1 is "Bash\("/);
});

test.each([
  [
    '{\n"permisions": {}}',
    'line 2: permisions is no setting that everloop knows. Did you mean permissions?',
  ],
  ['{"novelty": 1}', 'line 1: novelty is no setting that everloop knows. Correct or remove it.'],
  [
    '{"permissions":\n {"alow": []}}',
    'line 2: permissions.alow is no setting that everloop knows. Did you mean permissions.allow?',
  ],
  ['{"apiKeyHelper": "x"}', 'line 1: apiKeyHelper has no effect in everloop. Do not count on it.'],
])('%j is a warning', async (content, warning) => {
  const file = await write('user', content);

  expect((await loadSettings(place)).warnings).toEqual([`Settings file ${file}: ${warning}`]);
});

test('what is about looks, and what is honoured, is no warning', async () => {
  await write('user', { theme: 'dark', model: 'opus', permissions: { allow: [] }, $schema: 'x' });

  expect((await loadSettings(place)).warnings).toEqual([]);
});

test('hooks and servers of a plugin are the weakest layer, with its folder', async () => {
  const plugin = path.join(folder, 'plugin');
  await mkdir(path.join(plugin, 'hooks'), { recursive: true });
  await writeFile(path.join(plugin, 'hooks/hooks.json'), '{"hooks": {"Stop": []}}');
  await writeFile(
    path.join(plugin, '.mcp.json'),
    '{"mcpServers": {"a": {"command": "${CLAUDE_PLUGIN_ROOT}/a"}}}',
  );

  const { layers } = await loadSettings({ ...place, pluginDirs: [plugin] });

  expect(layers.at(-1)).toMatchObject({
    raw: { hooks: { Stop: [] }, mcpServers: { a: { command: `${plugin}/a` } } },
    env: { CLAUDE_PLUGIN_ROOT: plugin },
  });
});

test.each([
  ['nowhere', {}, /Plugin .*nowhere is no folder\. Correct the path/],
  [
    'bad',
    { '.claude-plugin/plugin.json': '{"name": "a b"}' },
    /plugin\.json: name must be a name of letters/,
  ],
  ['bad', { 'hooks/hooks.json': '{' }, /hooks\.json is not JSON/],
])('a plugin that cannot be used is named: %s %j', async (name, files, message) => {
  for (const [file, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name, file)), { recursive: true });
    await writeFile(path.join(folder, name, file), text);
  }

  const loading = loadSettings({ ...place, pluginDirs: [path.join(folder, name)] });

  await expect(loading).rejects.toThrow(SettingsError);
  await expect(loading).rejects.toThrow(message);
});

test('a secret in env is not shown', async () => {
  await write('user', { env: { KEY: ['sk-secret'] } });

  const message = await loadSettings(place).catch(String);

  expect(message).toMatch(/env\.KEY is …: it must be/);
  expect(message).not.toContain('sk-secret');
});

test('a file that cannot be read and a path that does not exist are named with a cure', async () => {
  await mkdir(FILES.local(), { recursive: true });
  const unreadable = loadSettings(place);
  await expect(unreadable).rejects.toThrow(
    /settings\.local\.json cannot be read \(EISDIR\)\. Make it a file/,
  );
  await rm(FILES.local(), { recursive: true });

  const missing = loadSettings({ ...place, cli: 'nowhere.json' });

  await expect(missing).rejects.toThrow(/nowhere\.json, given by --settings, does not exist/);
});
