import { z } from 'zod';
import { findCommand } from '../context/command-file';
import type { PromptFile } from '../context/prompt-file';
import { fillIn, hasCommandLines } from '../context/prompt-template';
import { skillBody } from '../context/skill-file';
import { defineTool, ToolError, type Tool } from './tool';

/** Name of the tool that loads a skill. Which there are is told beside the messages: this description never changes. */
export const SKILL = 'Skill';

const SkillInput = z.strictObject({
  skill: z.string().min(1).describe('Name of the skill, as it was listed'),
  args: z.string().optional().describe('What the skill should work on'),
});

/** `find` gets the skills of the session, whenever one is wanted. */
export function createSkillTool(find: () => Promise<readonly PromptFile[]>): Tool {
  return defineTool<z.infer<typeof SkillInput>>({
    name: SKILL,
    description: `Loads a skill: the instructions for one kind of work, as this project or this user wants it done. The skills that there are were listed in a reminder, with what they are for.
- When the user's task is of such a kind, or the user names a skill (also as /name), load it before you do anything else, and then follow it.
- Do not load a skill twice, and do not guess names.`,
    inputSchema: SkillInput,
    // Never stored and previewed: instructions have to be read whole.
    resultLimitChars: Infinity,
    effect: 'rerun',
    isReadOnly: () => true,
    summarize: ({ skill }) => skill,
    async call({ skill: wanted, args = '' }) {
      const skill = requireSkill(wanted.replace(/^\//, ''), await find());
      const note = hasCommandLines(skill.body)
        ? 'Lines of the form !`command` in it have not been run: run them yourself where you need what they print.\n\n'
        : '';
      return {
        content: note + fillIn(skillBody(skill), args),
        structured: { success: true, commandName: skill.name },
        allows: skill.allowedTools,
      };
    },
  });
}

function requireSkill(name: string, skills: readonly PromptFile[]): PromptFile {
  const known = skills.filter(({ isForModel }) => isForModel);
  const skill = findCommand(name, known);
  if (skill !== undefined) return skill;
  const isForPeople = findCommand(name, skills) !== undefined;
  if (isForPeople) throw new ToolError(`The skill ${name} is called by the user only.`);
  const names = known.map((each) => each.name).join(', ');
  throw new ToolError(
    `There is no skill "${name}". ${names === '' ? 'There are none here.' : `Use one of: ${names}.`}`,
  );
}
