import { callModel } from '../../../src/activities/call-model/call-model';
import type { Reply as ScriptedReply } from '../../../src/scripted-model/reply';
import { given, type Given } from '../given';
import { ask, input } from './asked';

let at: Given;
afterEach(() => at.close());

const say = (text: string, hold?: string) => ({ type: 'text', text, hold }) as const;
const read = { type: 'tool_use', id: 'toolu_1', name: 'Read', input: { file_path: 'a' } } as const;
const heldInText: ScriptedReply = {
  content: [read, say('0123456789')],
  deltaChars: 5,
  interruptions: [{ type: 'hold', name: 'middle', afterDeltas: 5 }],
};

async function startAsking(script: readonly ScriptedReply[], gate: string) {
  at = await given({ script });
  const worker = at.worker();
  const said = await worker.say('Hello');
  const attempt = said.attempt();
  const asked = ask(worker, said, attempt);
  await at.model.waitUntilHeld(gate);
  const request = at.model.requests[0]!;
  return { worker, said, attempt, asked, request };
}

test('a stop in mid-stream keeps finished blocks and the text so far', async () => {
  const { worker, attempt, asked, request } = await startAsking([heldInText], 'middle');
  const { store } = await worker.session();
  await untilInLive(store.log, await worker.log(), '01234');

  attempt.requestStop();
  const outcome = await asked;
  await request.ended;

  const [, call, text] = await worker.transcript();
  expect(call).toMatchObject({ message: { content: [{ id: 'toolu_1' }] } });
  expect(text).toMatchObject({ message: { content: [{ text: '01234' }], stop_reason: null } });
  expect(outcome).toMatchObject({
    type: 'interrupted',
    messages: { leaf: text!.uuid, pending: [] },
    toolUses: [{ id: 'toolu_1', recordId: call!.uuid }],
  });
  expect(request.clientLeft).toBe(true);
});

test('a stop before the first block keeps the request and nothing of the reply', async () => {
  const { worker, said, attempt, asked } = await startAsking([{ hold: 'door' }], 'door');

  attempt.requestStop();
  const outcome = await asked;

  expect(outcome).toMatchObject({ type: 'interrupted', messages: { leaf: said.id }, toolUses: [] });
  expect(await worker.transcript()).toHaveLength(1);
});

test('a stopped reply goes back to the model in a conversation that the API accepts', async () => {
  const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' } as const;
  const script = [{ content: [thinking, say('Late.', 'middle')] }, { content: [say('Hi.')] }];
  const { worker, attempt, asked } = await startAsking(script, 'middle');
  attempt.requestStop();
  const outcome = await asked;
  const leaf = outcome.type === 'interrupted' ? outcome.messages.leaf : null;
  const second = await worker.say('Again?');

  const note = { type: 'interruption', during: 'streaming' } as const;
  await callModel(worker.deps, second.attempt('2'), input(leaf, [note, second.pending]));

  // A message may not end with a thought.
  expect(at.model.requests[1]!.body.messages).toEqual([
    {
      role: 'user',
      content: [say('Hello'), say('[Request interrupted by user]'), say('Again?')],
    },
  ]);
});

test('an attempt that is over in mid-stream commits nothing and passes the reason on', async () => {
  const { worker, attempt, asked, request } = await startAsking([heldInText], 'middle');
  const reason = new Error('WORKER_SHUTDOWN');

  attempt.end(reason);

  await expect(asked).rejects.toBe(reason);
  await request.ended;
  expect(request.clientLeft).toBe(true);
  expect(await worker.transcript()).toHaveLength(1);
  const { store } = await worker.session();
  expect(await store.ledger.failures(attempt.key)).toEqual([]);
  expect((await worker.log()).at(-1)).toMatchObject({ type: 'stream_discarded' });
});

test('an attempt that the server has forgotten commits nothing', async () => {
  const { worker, attempt, asked } = await startAsking([heldInText], 'middle');

  attempt.forget();

  await expect(asked).rejects.toThrow('not found');
  expect(await worker.transcript()).toHaveLength(1);
});

type Entries = Awaited<ReturnType<ReturnType<Given['worker']>['log']>>;
type Log = Awaited<ReturnType<ReturnType<Given['worker']>['session']>>['store']['log'];

/** Resolves when the delta has reached those who follow the stream. */
async function untilInLive(log: Log, entries: Entries, text: string): Promise<void> {
  const started = entries.find((entry) => entry.type === 'stream_started');
  for await (const event of log.followLive(started?.live ?? '', AbortSignal.timeout(10_000))) {
    if (JSON.stringify(event).includes(text)) return;
  }
  throw new Error(`The stream ended without ${text}.`);
}
