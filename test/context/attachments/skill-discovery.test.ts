import { Conversation } from './conversation';

let talk: Conversation;
afterEach(() => talk.end());

const skill = (name: string, description: string, more = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\nHow to do it.`;

test('a visit lists the skills of the folders on its way, each once', async () => {
  talk = await Conversation.begin({
    'work/.claude/skills/top/SKILL.md': skill('top', 'listed from the start'),
    'work/api/.claude/skills/migrate/SKILL.md': skill('migrate', '>-\n  Changes the\n  schema.'),
    'work/api/.claude/skills/private/SKILL.md': skill('p', 'x', 'disable-model-invocation: true\n'),
    'work/api/.claude/skills/nameless/SKILL.md': '---\ndescription: "No name: it has none"\n---\n',
    'work/api/.claude/skills/broken/SKILL.md': 'no fields',
    'work/web/.claude/skills/page/SKILL.md': skill('page', 'Another folder.'),
    'work/api/v1/x.txt': 'x\n',
  });
  await talk.read('api/v1/x.txt');

  const [told, ...others] = await talk.endTurn();

  expect(others).toEqual([]);
  expect(told?.type).toBe('skills');
  const place = `${talk.cwd}/api/.claude/skills`;
  expect(told?.text.split('\n').filter((line) => line.startsWith('- '))).toEqual([
    `- migrate: Changes the schema. (${place}/migrate/SKILL.md)`,
    `- nameless: No name: it has none (${place}/nameless/SKILL.md)`,
  ]);
  await talk.read('api/v1/x.txt');
  expect(await talk.endTurn()).toEqual([]);
});

test('a skill that is new in a visited folder is listed alone', async () => {
  talk = await Conversation.begin({
    'work/api/.claude/skills/a/SKILL.md': skill('a', 'First.'),
    'work/api/x.txt': 'x\n',
  });
  await talk.read('api/x.txt');
  await talk.endTurn();
  await talk.folder.write({ 'work/api/.claude/skills/b/SKILL.md': skill('b', 'Second.') });
  await talk.read('api/x.txt');

  const [told] = await talk.endTurn();

  expect(told?.text).toContain('- b: Second.');
  expect(told?.text).not.toContain('- a: First.');
});

test('a long listing loses descriptions first, then skills, and stays within 8,000 characters', async () => {
  const files = Array.from({ length: 100 }, (_, index) => [
    `work/api/.claude/skills/skill-${String(index).padStart(3, '0')}/SKILL.md`,
    skill(`skill-${index}`, 'word '.repeat(200)),
  ]);
  talk = await Conversation.begin({
    ...(Object.fromEntries(files) as Record<string, string>),
    'work/api/x.txt': 'x\n',
  });
  await talk.read('api/x.txt');

  const [told] = await talk.endTurn();

  expect(told!.text.length).toBeLessThan(8_400);
  expect(told?.text).toMatch(/- … and \d+ more/);
  expect(told?.keys).toHaveLength(100);
});
