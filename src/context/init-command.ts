import type { PromptFile } from './prompt-file';

/** `/init`, unless the folder or the user has a command of that name. */
export const INIT_COMMAND: PromptFile = {
  name: 'init',
  path: '',
  description: 'Looks at the project and writes a CLAUDE.md for it',
  argumentHint: '',
  allowedTools: [],
  model: null,
  isForModel: false,
  isForPeople: true,
  body: `Look at this project and write a CLAUDE.md into its root: what an agent has to know before it works here.

- The commands that build, check and test it, and how to run one test alone. Take them from the project's own files and try those that are harmless.
- The architecture as far as it takes several files to see it: parts, how they depend on each other, where what belongs.
- Conventions that are not the usual ones of the language, and traps.

If there is a CLAUDE.md or an AGENTS.md already, improve it instead of writing it anew. Take in what .cursorrules, .cursor/rules and .github/copilot-instructions.md say, if they are there. Leave out what can be seen at a glance, lists of files, and advice that holds for every project; make nothing up. Keep it below a hundred lines.`,
};
