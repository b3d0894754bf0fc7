import { listToolResults, replaceResults } from '../../../src/loop/prepare/tool-results';
import { call, conversation, image, result, user } from './builders';

const withParts = (...content: ({ type: 'text'; text: string } | typeof image)[]) =>
  user({ type: 'tool_result', tool_use_id: 'a', content });
const text = (value: string) => ({ type: 'text', text: value }) as const;

test.each([
  ['one text', result('a', 'word'), 'word', 4],
  ['several texts', withParts(text('one'), text('three')), 'one\nthree', 8],
  ['an image beside its text', withParts(image, text('word')), null, 4],
  ['nothing', result('a', undefined), '', 0],
])('a result of %s has a text and a size', (_, draft, expected, chars) => {
  const [listed] = listToolResults(conversation(call('a', 'Grep'), draft));

  expect(listed).toMatchObject({ tool: 'Grep', text: expected, chars });
});

test('what was replaced once is the same object when it is replaced again', () => {
  const messages = conversation(call('a'), result('a', 'long'), call('b'), result('b', 'other'));
  const texts = new Map([['a', 'short']]);

  const once = replaceResults(messages, texts);

  expect(replaceResults(once, texts)).toBe(once);
  expect(once[3]).toBe(messages[3]);
});

test('a result whose call is not in the context is of no tool', () => {
  expect(listToolResults(conversation(result('stray', 'x')))).toMatchObject([{ tool: '' }]);
});
