import type { AgentHooks, AgentMessage } from '../../src/agent/agent-hooks';
import { ask, toReply } from '../activities/call-model/asked';
import { failureOf } from '../activities/fake-attempt';
import { given, type Given } from '../activities/given';
import { says } from '../support/replies';
import { MINE, agentWith } from './served';

let at: Given;
afterEach(() => at.close());

async function prompted(hooks: AgentHooks) {
  at = await given({ script: [says('Hello.')] });
  const worker = at.worker({ agents: [agentWith(hooks)] });
  return { worker, said: await worker.say('Hi', MINE.options) };
}

const sentText = (): string => JSON.stringify(at.model.requests[0]?.body.messages);
const user = (content: string): AgentMessage => ({ role: 'user', content });

test('a request is transformed, converted, and then given its key', async () => {
  const asked: string[] = [];
  const { worker, said } = await prompted({
    getApiKey: (provider) => (asked.push(`key for ${provider}`), 'fresh-key'),
    convertToLlm: (messages) => {
      asked.push(`convert ${messages.length}`);
      return messages.filter(({ content }) => content !== 'note to self');
    },
    transformContext: (messages) => {
      asked.push(`transform ${messages.length}`);
      return [user('before'), user('note to self'), ...messages];
    },
  });

  toReply(await ask(worker, said));

  expect(asked).toEqual(['transform 1', 'convert 3', 'key for anthropic']);
  expect(at.model.requests[0]?.headers.authorization).toBe('Bearer fresh-key');
  expect(sentText()).toMatch(/before.*Hi/);
  expect(sentText()).not.toContain('note to self');
});

test('the transcript stays as it is, whatever the model is shown', async () => {
  const { worker, said } = await prompted({ transformContext: () => [user('shown')] });

  await ask(worker, said);

  expect(sentText()).toContain('shown');
  expect(JSON.stringify(await worker.transcript())).not.toContain('shown');
});

test('an agent that gives out no key uses the Worker’s', async () => {
  const { worker, said } = await prompted({ getApiKey: () => undefined });

  await ask(worker, said);

  expect(at.model.requests[0]?.headers.authorization).toBe('Bearer key');
});

test('calls are paired with results whatever convertToLlm leaves out', async () => {
  const id = 'toolu_1';
  const { worker, said } = await prompted({
    convertToLlm: () => [
      user('Work.'),
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Note', input: {} }] },
    ],
  });

  toReply(await ask(worker, said));

  expect(at.model.requests[0]?.body.messages.at(-1)).toMatchObject({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: id, is_error: true }],
  });
});

test('a hook that throws is asked again by the next attempt', async () => {
  const { worker, said } = await prompted({
    transformContext: () => {
      throw new Error('boom');
    },
  });

  const failure = await failureOf(ask(worker, said));

  expect(failure).toMatchObject({ type: 'Agent.HookFailed', nonRetryable: false });
  expect(failure.message).toBe('Hook transformContext of agent mine failed: boom');
  expect(at.model.requests).toEqual([]);
});

test('a stop while a hook is asked ends the request before it is sent, with the prompt chained', async () => {
  let isAsked: () => void = () => undefined;
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const { worker, said } = await prompted({
    transformContext: async () => {
      isAsked();
      return new Promise(() => undefined);
    },
  });
  const attempt = said.attempt();

  const asking = ask(worker, said, attempt);
  await asked;
  attempt.requestStop();

  const leaf = (await worker.transcript()).at(-1)?.uuid;
  expect(await asking).toMatchObject({ type: 'interrupted', messages: { leaf, pending: [] } });
  expect(at.model.requests).toEqual([]);
});
