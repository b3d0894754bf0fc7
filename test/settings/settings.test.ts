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

test('unknown keys are no error, and auto means asking', async () => {
  await write(
    'project',
    '\uFEFF{"novelty": {"x": 1}, "permissions": {"defaultMode": "auto", "y": 2}}',
  );

  expect((await loadSettings(place)).defaultMode).toBe('default');
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
