// Needs: a Temporal server (started by the run).
import type { PermissionAnswer } from '../../src/transcript/permission';
import { withDurable, type Durable } from '../support/durable';
import { call, calls, says } from '../support/replies';

const option = (label: string) => ({ label, description: `Take ${label}` });
const QUESTIONS = {
  questions: [
    {
      question: 'Which library?',
      header: 'Library',
      options: [option('zod'), option('ajv')],
      multiSelect: false,
    },
  ],
};
const asks = call('AskUserQuestion', QUESTIONS);
const asking = { options: { permissionMode: 'bypassPermissions', asks: 'host' } } as const;

async function answer(durable: Durable, given: PermissionAnswer): Promise<unknown> {
  const asked = await durable.told((entry) => entry.type === 'permission_requested');
  if (asked.type !== 'permission_requested') throw new Error('unreachable');
  const { queryId, question } = asked;
  await durable.agent.answer(durable.session, { queryId, call: question.call }, given);
  return question;
}

const offered = (durable: Durable) =>
  (durable.model.requests[0]?.body.tools ?? []).map((tool) => ('name' in tool ? tool.name : ''));

test('questions go to the host, in any mode, and the answers are what the model reads', () =>
  withDurable({ script: [calls(asks), says('zod it is.')] }, async (durable) => {
    const id = await durable.say('Choose.', asking);
    const answers = { 'Which library?': 'zod' };
    const question = await answer(durable, {
      behavior: 'allow',
      updatedInput: { ...QUESTIONS, answers },
      by: 'host',
    });

    expect(question).toMatchObject({
      toolName: 'AskUserQuestion',
      input: QUESTIONS,
      reasonType: 'user_interaction',
    });
    expect(await durable.resultOf(id)).toMatchObject({
      result: 'zod it is.',
      permission_denials: [],
    });
    expect(JSON.stringify(durable.requestMessages[1])).toMatch(/Which library\?\\n {2}zod/);
    expect(offered(durable)).toContain('AskUserQuestion');
  }));

test('a yes without answers is an error that the model reads', () =>
  withDurable({ script: [calls(asks), says('Then zod.')] }, async (durable) => {
    const id = await durable.say('Choose.', asking);
    await answer(durable, { behavior: 'allow', by: 'host' });

    expect(await durable.resultOf(id)).toMatchObject({ result: 'Then zod.' });
    expect(JSON.stringify(durable.requestMessages[1])).toMatch(/without an answer.*is_error/);
  }));

test('a no is a result like any other', () =>
  withDurable({ script: [calls(asks), says('Then zod.')] }, async (durable) => {
    const id = await durable.say('Choose.', asking);
    await answer(durable, { behavior: 'deny', message: 'Ask me later.', by: 'host' });

    expect(await durable.resultOf(id)).toMatchObject({ result: 'Then zod.' });
    expect(JSON.stringify(durable.requestMessages[1])).toContain('Ask me later.');
  }));

test('where nobody can be asked the model is not told of the tool, and a call of it is refused clearly', () =>
  withDurable({ script: [calls(asks), says('Then zod.')] }, async (durable) => {
    const result = await durable.ask('Choose.', { options: { permissionMode: 'default' } });

    expect(offered(durable)).not.toContain('AskUserQuestion');
    expect(JSON.stringify(durable.requestMessages[1])).toMatch(/Nobody can be asked in this run/);
    expect(result).toMatchObject({
      result: 'Then zod.',
      permission_denials: [{ tool_name: 'AskUserQuestion' }],
    });
  }));
