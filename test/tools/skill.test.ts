import type { PromptFile } from '../../src/context/prompt-file';
import { createSkillTool } from '../../src/tools/skill';
import { ToolError } from '../../src/tools/tool';

const SKILL: PromptFile = {
  name: 'notes',
  path: '/p/.claude/skills/notes/SKILL.md',
  description: 'Writes notes',
  argumentHint: '',
  allowedTools: ['Bash(git log:*)'],
  model: null,
  isForModel: true,
  isForPeople: true,
  body: 'Look into ${CLAUDE_SKILL_DIR}/words and write of $ARGUMENTS.',
};

const use = (skills: readonly PromptFile[], input: object) =>
  createSkillTool(() => Promise.resolve(skills)).call(input, {} as never);

test('a skill comes whole, with its folder, its arguments and the rules that it brings', async () => {
  const result = await use([SKILL], { skill: '/notes', args: 'today' });

  expect(result.content).toBe(
    'Base folder of this skill: /p/.claude/skills/notes\n\nLook into /p/.claude/skills/notes/words and write of today.',
  );
  expect(result.allows).toEqual(['Bash(git log:*)']);
});

test('lines that a command would run are left to the model, which is told', async () => {
  const result = await use([{ ...SKILL, body: 'Since !`git tag`.' }], { skill: 'notes' });

  expect(result.content).toMatch(/have not been run[^]*Since !`git tag`\./);
});

test.each([
  ['a name that nobody has', { skill: 'nots' }, 'There is no skill "nots". Use one of: notes.'],
  ['a skill for people only', { skill: 'ship' }, 'The skill ship is called by the user only.'],
])('%s is refused', async (_, input, message) => {
  const forPeople = { ...SKILL, name: 'ship', isForModel: false };

  const using = use([SKILL, forPeople], input);

  await expect(using).rejects.toThrow(ToolError);
  await expect(using).rejects.toThrow(message);
});
