import { PrefixWatch } from '../../src/bench/model/prefix-watch';

const body = (messages: readonly string[], system = 'You help.'): Buffer =>
  Buffer.from(
    JSON.stringify({
      model: 'm',
      system,
      messages: messages.map((content) => ({ role: 'user', content })),
      max_tokens: 1,
    }),
  );

test('a request that goes on from the one before keeps its messages and its start', () => {
  const watch = new PrefixWatch();
  watch.remember(body(['one']));

  expect(watch.compare(body(['one', 'two']))).toEqual({ keepsMessages: true, keepsStart: true });
});

test.each([
  ['a changed message', body(['One', 'two']), { keepsMessages: false, keepsStart: true }],
  ['a message that goes', body([]), { keepsMessages: false, keepsStart: true }],
  [
    'another system prompt',
    body(['one'], 'You help well.'),
    { keepsMessages: true, keepsStart: false },
  ],
])('%s is seen', (_, now, prefix) => {
  const watch = new PrefixWatch();
  watch.remember(body(['one']));

  expect(watch.compare(now)).toEqual(prefix);
});

test('the first request has nothing to keep', () => {
  expect(new PrefixWatch().compare(body(['one']))).toBeNull();
});
