import { toApiTool } from '../../src/activities/tool-catalog';
import { askUserQuestionTool } from '../../src/tools/ask-user-question';
import { createWorkspace, Refused, textOf, type Workspace } from './tool-call';

let workspace: Workspace;
beforeEach(async () => (workspace = await createWorkspace()));
afterEach(() => workspace.remove());

const option = (label: string) => ({ label, description: `Take ${label}` });
const question = (text: string) => ({
  question: text,
  header: 'Choice',
  options: [option('A'), option('B')],
  multiSelect: false,
});

/** The call as it runs once somebody has answered. */
const answered = (texts: readonly string[], answers: Record<string, string>) => {
  const input = { questions: texts.map(question), answers };
  return askUserQuestionTool.call(
    askUserQuestionTool.inputSchema.parse(input),
    workspace.context(),
  );
};

test('the model reads each answer beside its question', async () => {
  const result = await answered(['Which?', 'Where?'], { 'Which?': 'A', 'Where?': 'A, B' });

  expect(textOf(result)).toBe('The user has answered:\n- Which?\n  A\n- Where?\n  A, B');
  expect(result.structured).toMatchObject({ answers: { 'Which?': 'A', 'Where?': 'A, B' } });
});

test('questions that were left open are counted', async () => {
  expect(textOf(await answered(['Which?', 'Where?'], { 'Which?': 'A' }))).toContain(
    '1 of 2 questions were left open.',
  );
});

test('a yes without an answer is told as such', async () => {
  await expect(answered(['Which?'], {})).rejects.toThrow(/without an answer/);
});

test.each([
  ['answers of its own', { questions: [question('Which?')], answers: { 'Which?': 'A' } }, /leave/],
  ['one question twice', { questions: [question('Which?'), question('Which?')] }, /same text/],
  [
    'one label twice',
    { questions: [{ ...question('Which?'), options: [option('A'), option('A')] }] },
    /same label/,
  ],
])('a model that gives %s is refused', async (_what, input, why) => {
  const call = workspace.call(askUserQuestionTool, input);

  await expect(call).rejects.toThrow(Refused);
  await expect(call).rejects.toThrow(why);
});

test.each([
  ['no question', { questions: [] }],
  ['five questions', { questions: ['1', '2', '3', '4', '5'].map(question) }],
  ['one option', { questions: [{ ...question('Which?'), options: [option('A')] }] }],
])('%s: the schema refuses it', (_what, input) => {
  expect(askUserQuestionTool.inputSchema.safeParse(input).success).toBe(false);
});

test('the model is not told of the field that people fill', () => {
  expect(JSON.stringify(toApiTool(askUserQuestionTool))).not.toContain('"answers"');
});
