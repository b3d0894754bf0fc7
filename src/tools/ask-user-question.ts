import { z } from 'zod';
import { defineTool, ToolError } from './tool';

const Option = z.strictObject({
  label: z.string().min(1).describe('The choice in one to five words'),
  description: z.string().describe('What it means, or what follows from it'),
  preview: z.string().optional().describe('What it would look like: code, a sketch in text'),
});

const Question = z.strictObject({
  question: z.string().min(1).describe('The whole question, with a question mark'),
  header: z.string().describe('A label of at most 12 characters: "Library"'),
  options: z.array(Option).min(2).max(4).describe('What can be chosen; "Other" is always offered'),
  multiSelect: z.boolean().default(false).describe('More than one may be chosen'),
});

const Asked = z.strictObject({
  questions: z.array(Question).min(1).max(4).describe('One to four questions'),
});

/** `answers` come from the person: by the text of the question, labels of several choices with commas between. */
export const AskUserQuestionInput = Asked.extend({
  answers: z.record(z.string(), z.string()).optional(),
  annotations: z.unknown().optional(),
});
export type AskUserQuestionInput = z.infer<typeof AskUserQuestionInput>;

export const askUserQuestionTool = defineTool<AskUserQuestionInput>({
  name: 'AskUserQuestion',
  description: `Asks the user one to four questions with choices, and waits for the answers.
- Use it when the work depends on something that only the user can decide, and neither the task nor the code tells.
- Put the choice that you recommend first and end its label with "(Recommended)". The user can always write another answer.`,
  inputSchema: AskUserQuestionInput,
  inputJsonSchema: z.toJSONSchema(Asked, { io: 'input' }),
  effect: 'rerun',
  isQuestion: true,
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  summarize: ({ questions }) => questions.map(({ question }) => question).join(' '),
  validateInput: (input) => Promise.resolve(whyNotAsked(input)),
  async call({ questions, answers = {} }) {
    const lines = questions.map(({ question }) => {
      const answer = answers[question];
      return answer === undefined ? null : `- ${question}\n  ${answer}`;
    });
    const given = lines.filter((line) => line !== null);
    if (given.length === 0) {
      throw new ToolError(
        'The user let the question pass without an answer. Go on with what seems best, and say what you assumed.',
      );
    }
    const open = lines.length - given.length;
    const note = open === 0 ? '' : `\n\n${open} of ${lines.length} questions were left open.`;
    return {
      content: `The user has answered:\n${given.join('\n')}${note}`,
      structured: { questions, answers },
    };
  },
});

/** The model's own input comes here, before anybody is asked. */
function whyNotAsked({ questions, answers }: AskUserQuestionInput): string | null {
  if (answers !== undefined) return 'answers come from the user: leave them out.';
  const texts = questions.map(({ question }) => question);
  if (new Set(texts).size < texts.length) return 'Two questions have the same text. Ask each once.';
  const twice = questions.find(
    ({ options }) => new Set(options.map(({ label }) => label)).size < options.length,
  );
  return twice === undefined
    ? null
    : `Two options of "${twice.question}" have the same label. Give each a label of its own.`;
}
