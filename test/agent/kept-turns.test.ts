import { endTurn } from '../../src/activities/agent-hooks/end-turn';
import type { AgentHooks } from '../../src/agent/agent-hooks';
import { ask, toReply } from '../activities/call-model/asked';
import { given, type Given } from '../activities/given';
import { says } from '../support/replies';
import { MINE, agentWith } from './served';

let at: Given;
afterEach(() => at.close());

/** A turn that has ended with an answer; `hooks` belong to the agent from now on. */
async function answered(hooks: AgentHooks) {
  at = await given({ script: [says('Hello.')] });
  const agents = [agentWith(hooks)];
  const worker = at.worker({ agents });
  const said = await worker.say('Hi', MINE.options);
  const { leaf, model } = toReply(await ask(worker, said));
  return { agents, worker, said, input: { leaf, model, willGoOn: false } };
}

test('an attempt that follows a lost one adopts its messages and asks no hook', async () => {
  const queue = ['one', 'two'];
  const { agents, worker, said, input } = await answered({
    getFollowUpMessages: () => queue.splice(0),
  });
  const attempt = said.attempt('end');
  const first = await endTurn(worker.deps, attempt, input);
  queue.push('three');

  const second = await endTurn(at.worker({ agents }).deps, attempt.next(), input);

  expect(first.messages).toHaveLength(2);
  expect(second).toEqual(first);
  expect(queue).toEqual(['three']);
});

test('what a hook brings is in the store under the ids that cross, and nothing else crosses', async () => {
  const { worker, said, input } = await answered({ getFollowUpMessages: () => ['one'] });

  const ended = await endTurn(worker.deps, said.attempt('end'), input);

  const { store } = await worker.session();
  const messageId = ended.messages?.[0]?.messageId ?? '';
  expect(ended).toEqual({ messages: [{ type: 'message', messageId }] });
  expect(await store.findMessage(messageId)).toMatchObject({
    content: [{ type: 'text', text: 'one' }],
    origin: 'agent',
  });
});

test('queues are not asked when no further turn could hear what they hold', async () => {
  const asked: string[] = [];
  const { worker, said, input } = await answered({
    prepareNextTurn: () => (asked.push('prepare'), undefined),
    shouldStopAfterTurn: () => (asked.push('stop?'), false),
    getSteeringMessages: () => (asked.push('steering'), []),
    getFollowUpMessages: () => (asked.push('follow-ups'), []),
  });

  const ended = await endTurn(worker.deps, said.attempt('end'), { ...input, isLast: true });

  expect(asked).toEqual(['prepare', 'stop?']);
  expect(ended).toEqual({});
});
