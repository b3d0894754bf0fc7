import {
  barelyTokens,
  estimateTextTokens,
  estimateTokens,
} from '../../../src/loop/prepare/estimate-tokens';
import { answer, block, call, chars, conversation, image, result, said, user } from './builders';

test.each([
  ['a text: a quarter of its characters', said(chars(300)), 75],
  ['a thought: a quarter', block({ type: 'thinking', thinking: chars(40), signature: 's' }), 10],
  ['an image: 2,000', user(image), 2_000],
  [
    'a document: 2,000',
    user({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: chars(9) } }),
    2_000,
  ],
  ["a call: a quarter of its name, half of its input's JSON", call('c', 'Bash', { a: 'bc' }), 6],
  ['a call without an input: as JSON says it', call('c', 'Bash', null), 3],
  ['a result: a quarter', result('c', chars(400)), 100],
  ['a result without content: nothing', result('c', undefined), 0],
  [
    'a result of parts: their sum',
    user({
      type: 'tool_result',
      tool_use_id: 'c',
      content: [{ type: 'text', text: chars(400) }, image],
    }),
    2_100,
  ],
  [
    'anything else: half of its JSON',
    block({ type: 'redacted_thinking', data: chars(60) }),
    (JSON.stringify({ type: 'redacted_thinking', data: '' }).length + 60) / 2,
  ],
])('%s', (_, message, tokens) => {
  expect(barelyTokens(conversation(message))).toBe(Math.floor(tokens));
});

test('the estimate has a third on top and is rounded up', () => {
  const messages = conversation(said(chars(300)), answer(chars(301)));

  expect(estimateTokens(messages)).toBe(201);
  expect(estimateTextTokens(chars(301))).toBe(101);
});
