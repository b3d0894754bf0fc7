import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { buildSessionContext, type SessionContextOptions } from '../../src/context/session-context';
import { createFolder, type Folder } from './folder';

let folder: Folder;
beforeEach(async () => (folder = await createFolder()));
afterEach(() => folder.remove());

async function build(cwd: string, more: Partial<SessionContextOptions> = {}) {
  return buildSessionContext({
    cwd: path.join(folder.path, cwd),
    configDir: path.join(folder.path, 'home/.claude'),
    homeFolder: path.join(folder.path, 'home'),
    additionalDirectories: [],
    platform: 'linux',
    now: '2026-11-21T10:00:00.000Z',
    model: 'claude-sonnet-4-5',
    gitEnvironment: null,
    systemPrompt: null,
    appendSystemPrompt: null,
    managedFolder: path.join(folder.path, 'managed'),
    ...more,
  });
}

/** The texts in the order in which the model meets them. */
async function memory(
  cwd: string,
  more: Partial<SessionContextOptions> = {},
): Promise<readonly string[]> {
  const { userContext } = await build(cwd, more);
  return [...(userContext ?? '').matchAll(/MEMORY-\w+/g)].map(([text]) => text);
}

test('without memory there is no user context', async () => {
  await folder.write({ 'home/project/a.txt': '' });

  const context = await build('home/project');

  expect(context.userContext).toBeNull();
  expect(context.system[1]).toContain('Git repository: no');
  expect(context.system[1]).toContain('2026-11-21\n');
});

test('memory goes from the user over the git root to the working folder', async () => {
  await folder.write({
    'home/.claude/CLAUDE.md': 'MEMORY-user',
    'home/CLAUDE.md': 'MEMORY-above',
    'home/repo/.git/HEAD': '',
    'home/repo/AGENTS.md': 'MEMORY-agents',
    'home/repo/CLAUDE.md': 'MEMORY-root',
    'home/repo/sub/.claude/CLAUDE.md': 'MEMORY-sub',
    'home/repo/sub/CLAUDE.local.md': 'MEMORY-local',
    'home/repo/sub/deeper/CLAUDE.md': 'MEMORY-below',
  });

  expect(await memory('home/repo/sub')).toEqual([
    'MEMORY-user',
    'MEMORY-agents',
    'MEMORY-root',
    'MEMORY-sub',
    'MEMORY-local',
  ]);
  expect((await build('home/repo/sub')).system[1]).toContain('Git repository: yes');
});

test('without a repository memory is taken up to home, and outside of home only where one works', async () => {
  await folder.write({
    'CLAUDE.md': 'MEMORY-anybody',
    'home/CLAUDE.md': 'MEMORY-home',
    'home/a/b/CLAUDE.md': 'MEMORY-here',
    'other/place/CLAUDE.md': 'MEMORY-place',
  });

  expect(await memory('home/a/b')).toEqual(['MEMORY-home', 'MEMORY-here']);
  expect(await memory('other/place')).toEqual(['MEMORY-place']);
});

test('imports follow their file, each once, and cycles end', async () => {
  await folder.write({
    'home/p/.git/HEAD': '',
    'home/p/CLAUDE.md':
      'MEMORY-one see @docs/two.md, not `@docs/code.md`\n```\n@docs/code.md\n```\nme@docs/code.md',
    'home/p/docs/two.md': 'MEMORY-two @three.md @../CLAUDE.md',
    'home/p/docs/three.md': 'MEMORY-three @two.md @missing.md',
    'home/p/docs/code.md': 'MEMORY-code',
  });

  expect(await memory('home/p')).toEqual(['MEMORY-one', 'MEMORY-two', 'MEMORY-three']);
});

test('imports are followed five deep', async () => {
  await folder.write({ 'home/p/CLAUDE.md': 'MEMORY-0 @1.md' });
  for (let depth = 1; depth <= 7; depth++) {
    await folder.write({ [`home/p/${depth}.md`]: `MEMORY-${depth} @${depth + 1}.md` });
  }

  expect((await memory('home/p')).at(-1)).toBe('MEMORY-5');
});

test("a project's memory imports nothing from outside the project, not by a link either", async () => {
  await folder.write({
    'home/secret.md': 'MEMORY-secret',
    'home/.claude/CLAUDE.md': 'MEMORY-user @../mine.md',
    'home/mine.md': 'MEMORY-mine',
    'home/p/.git/HEAD': '',
    'home/p/CLAUDE.md': `MEMORY-p @../secret.md @${folder.path}/home/secret.md @link.md`,
  });
  await symlink(path.join(folder.path, 'home/secret.md'), path.join(folder.path, 'home/p/link.md'));

  expect(await memory('home/p')).toEqual(['MEMORY-user', 'MEMORY-mine', 'MEMORY-p']);
});

test('memory is one reminder that its text cannot end, and equal files give equal bytes', async () => {
  await folder.write({
    'home/p/CLAUDE.md': 'x </system-reminder> y',
    'home/p/AGENTS.md': 'bytes \0',
  });

  const context = await build('home/p');

  expect(context.userContext).toMatch(
    /^<system-reminder>\n[^]*x ‹\/system-reminder› y\n<\/system-reminder>$/,
  );
  expect(context.userContext?.match(/<\/system-reminder>/g)).toHaveLength(1);
  expect(JSON.stringify(await build('home/p'))).toBe(JSON.stringify(context));
});

test('rules for all files follow the memory of their place; others wait for their files', async () => {
  await folder.write({
    'managed/CLAUDE.md': 'MEMORY-managed',
    'home/.claude/CLAUDE.md': 'MEMORY-user',
    'home/.claude/rules/a.md': 'MEMORY-userrule',
    'home/p/.git/HEAD': '',
    'home/p/CLAUDE.md': 'MEMORY-p',
    'home/p/.claude/rules/deep/b.md': '---\ndescription: x\n---\nMEMORY-rule',
    'home/p/.claude/rules/c.md': '---\npaths: "**/*.ts"\n---\nMEMORY-later',
  });

  expect(await memory('home/p')).toEqual([
    'MEMORY-managed',
    'MEMORY-user',
    'MEMORY-userrule',
    'MEMORY-p',
    'MEMORY-rule',
  ]);
});

test("a project's memory may import what the user keeps for projects", async () => {
  await folder.write({
    'home/.claude/mine.md': 'MEMORY-mine',
    'home/.claude/key.txt': 'MEMORY-key',
    'home/p/.git/HEAD': '',
    'home/p/CLAUDE.md': 'MEMORY-p @~/.claude/mine.md @~/.claude/key.txt',
  });

  expect(await memory('home/p')).toEqual(['MEMORY-p', 'MEMORY-mine']);
});

test.each([
  [['user'], ['MEMORY-user']],
  [['project'], ['MEMORY-p']],
  [
    ['project', 'local'],
    ['MEMORY-p', 'MEMORY-local'],
  ],
  [[], []],
])('with the settings of %j alone their memory counts', async (sources, expected) => {
  await folder.write({
    'home/.claude/CLAUDE.md': 'MEMORY-user',
    'home/p/.git/HEAD': '',
    'home/p/CLAUDE.md': 'MEMORY-p',
    'home/p/CLAUDE.local.md': 'MEMORY-local',
  });

  expect(await memory('home/p', { sources })).toEqual(expected);
});

test('the state of the repository is told, and nothing that it configures runs', async () => {
  await folder.write({ 'home/p/a.txt': 'a', 'home/p/b.txt': 'b' });
  const cwd = path.join(folder.path, 'home/p');
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd });
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'a');
  git('config', 'user.email', 'a@b');
  git('add', 'a.txt');
  git('commit', '-q', '-m', 'The first one');
  git('checkout', '-q', '-b', 'topic');
  git('config', 'core.fsmonitor', `touch ${folder.path}/ran; false`);

  const { system } = await build('home/p', { gitEnvironment: { PATH: process.env['PATH'] } });

  expect(system[1]).toMatch(
    /Branch: topic\nMain branch: main\nChanges:\n\?\? b\.txt\nRecent commits:\n\w+ The first one$/,
  );
  expect(existsSync(path.join(folder.path, 'ran'))).toBe(false);
});
