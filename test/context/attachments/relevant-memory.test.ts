import { symlink } from 'node:fs/promises';
import path from 'node:path';
import {
  startMemoryPrefetch,
  type Memory,
  type MemoryPrefetch,
} from '../../../src/context/attachments/memory-prefetch';
import { Conversation } from './conversation';

let talk: Conversation;
afterEach(() => talk.end());

const start = (prompt: string): MemoryPrefetch =>
  startMemoryPrefetch(prompt, { cwd: talk.cwd, configDir: path.join(talk.folder.path, 'config') });

async function found(prompt: string): Promise<readonly Memory[]> {
  return settled(start(prompt));
}

async function settled(prefetch: MemoryPrefetch): Promise<readonly Memory[]> {
  for (const until = Date.now() + 10_000; Date.now() < until;) {
    const memories = prefetch.settled();
    if (memories !== null) return memories;
    await new Promise(setImmediate);
  }
  throw new Error('The search for memories did not end.');
}

const namesOf = (memories: readonly Memory[]) =>
  memories.map((memory) => path.basename(memory.path));

test("the user's and the project's memories that share words with the prompt are found, best first", async () => {
  talk = await Conversation.begin({
    'config/memory/deploy.md': '---\ndescription: how it goes live\n---\nUse the script.',
    'work/.claude/memory/database.md': 'The database is called deploy-db.',
    'work/.claude/memory/style.md': 'Tabs, never spaces.',
    'work/.claude/memory/release-deploys.md': 'Steps.',
  });

  expect(namesOf(await found('How do I deploy the releases?'))).toEqual([
    'release-deploys.md',
    'deploy.md',
  ]);
  expect(await found('Please write what you would')).toEqual([]);
});

test('words are also found in scripts that write none apart', async () => {
  talk = await Conversation.begin({
    'work/.claude/memory/a.md': '---\nname: 数据库迁移\n---\n先备份',
  });

  expect(namesOf(await found('请帮我处理数据库的问题'))).toEqual(['a.md']);
});

test('at most five, of each the first 200 lines and 4,096 bytes', async () => {
  const files = Array.from({ length: 8 }, (_, index) => [
    `work/.claude/memory/deploy-${index}.md`,
    index === 0 ? 'line\n'.repeat(300) : 'ä'.repeat(3_000),
  ]);
  talk = await Conversation.begin(Object.fromEntries(files) as Record<string, string>);

  const memories = await found('deploy');

  expect(memories).toHaveLength(5);
  expect(memories[0]?.text.split('\n')).toHaveLength(200);
  expect(memories[0]?.isCut).toBe(true);
  expect(memories[1]?.text).toBe('ä'.repeat(2_048));
});

test('a memory that is a link out of its folder is not read', async () => {
  talk = await Conversation.begin({ 'work/.claude/memory/.keep': '', 'deploy.md': 'secret' });
  await symlink(
    path.join(talk.folder.path, 'deploy.md'),
    path.join(talk.cwd, '.claude/memory/deploy.md'),
  );

  expect(await found('deploy')).toEqual([]);
});

test('what was found is told once per message of the user, and each memory once', async () => {
  talk = await Conversation.begin({
    'work/.claude/memory/deploy.md': 'DEPLOY-NOTE',
    'work/.claude/memory/database.md': 'DATABASE-NOTE',
  });
  talk.say('deploy it');
  const first = start('deploy it');
  await settled(first);

  const [told] = await talk.endTurn({ prefetched: first });

  expect(told?.type).toBe('relevant_memory');
  expect(told?.text).toMatch(
    /Contents of .*deploy\.md \(written on \d{4}-\d\d-\d\d\):\n\nDEPLOY-NOTE/,
  );
  const other = start('deploy the database');
  await settled(other);
  expect(await talk.endTurn({ prefetched: other })).toEqual([]);
  talk.say('deploy the database');
  const [next] = await talk.endTurn({ prefetched: other });
  expect(next?.keys.map((key) => path.basename(key))).toEqual(['database.md']);
});

test('an unfinished search is not waited for, and its result comes with a later turn', async () => {
  talk = await Conversation.begin({ 'work/.claude/memory/deploy.md': 'note' });
  talk.say('deploy it');
  let memories: readonly Memory[] | null = null;
  const prefetched = { settled: () => memories };

  expect(await talk.endTurn({ prefetched })).toEqual([]);
  memories = await found('deploy it');

  expect(await talk.endTurn({ prefetched })).toHaveLength(1);
});

test('a memory that the model has read or written is left out, and sub-agents get none', async () => {
  talk = await Conversation.begin({ 'work/.claude/memory/deploy.md': 'note' });
  const prefetched = start('deploy it');
  await settled(prefetched);

  expect(await talk.endTurn({ prefetched, isMainThread: false })).toEqual([]);
  await talk.read('.claude/memory/deploy.md');

  expect(await talk.endTurn({ prefetched })).toEqual([]);
});
