import { callModel } from '../../../src/activities/call-model/call-model';
import { input, toReply } from '../call-model/asked';
import { given, MODEL, type Given } from '../given';
import { messagesOf } from '../requests';

let at: Given;
afterEach(() => at.close());

const say = (text: string) => ({ type: 'text', text }) as const;
const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' } as const;
const hidden = { type: 'redacted_thinking', data: 'ZGF0YQ==' } as const;

/** Asks a model, then others, each with a prompt of its own; they are the last requests. */
async function askInTurn(models: readonly string[]): Promise<void> {
  const content = [thought, hidden, say('Yes.')];
  at = await given({ script: models.map(() => ({ content })) });
  let leaf: string | null = null;
  for (const model of models) {
    const worker = at.worker();
    const said = await worker.say(`For ${model}`, { maxThinkingTokens: 2_000 });
    const asked = input(leaf, [said.pending], { model });
    leaf = toReply(await callModel(worker.deps, said.attempt(), asked)).leaf;
  }
}

const replyIn = (request: number, index: number): unknown =>
  messagesOf(at, request).filter(({ role }) => role === 'assistant')[index]?.content;

test('thoughts go back to the model that had them, and to no other', async () => {
  await askInTurn([MODEL, 'claude-haiku-4-5', MODEL]);

  expect(replyIn(1, 0)).toEqual([say('Yes.')]);
  expect(replyIn(2, 0)).toEqual([thought, hidden, say('Yes.')]);
  expect(replyIn(2, 1)).toEqual([say('Yes.')]);
});

test('a dated name is a name of the same model, a longer name is one of another', async () => {
  await askInTurn(['claude-haiku-4-5', 'claude-haiku-4-5-20251001', 'claude-haiku-4-5-new']);

  expect(replyIn(1, 0)).toEqual([thought, hidden, say('Yes.')]);
  expect(replyIn(2, 0)).toEqual([say('Yes.')]);
  expect(replyIn(2, 1)).toEqual([say('Yes.')]);
});
