import { toRounds } from '../../../src/loop/prepare/rounds';
import { answer, call, conversation, result, round, said, user, type Drafts } from './builders';

const cuts = (...drafts: Drafts) =>
  toRounds(conversation(...drafts)).map(({ from, workUntil, until }) => [from, workUntil, until]);

test('a round is a reply with its results, and what was said until the next reply', () => {
  expect(cuts(said('go'), round('a', 'x'), said('and'), said('then'), round('b', 'y'))).toEqual([
    [1, 3, 5],
    [5, 7, 7],
  ]);
});

test('blocks of one reply stay together, whatever stands between them', () => {
  expect(
    cuts(
      said('go'),
      call('a', 'Bash', {}, 'one'),
      result('a', 'x'),
      call('b', 'Bash', {}, 'one'),
      result('b', 'y'),
      call('c', 'Bash', {}, 'two'),
    ),
  ).toEqual([
    [1, 5, 5],
    [5, 6, 6],
  ]);
});

test('neighbouring blocks without an id are one reply', () => {
  expect(cuts(answer('x'), answer('y'), said('and'), answer('z'))).toEqual([
    [0, 2, 3],
    [3, 4, 4],
  ]);
});

test('a result that comes late holds its rounds together', () => {
  expect(
    cuts(call('a'), answer('meanwhile', 'other'), result('a', 'x'), answer('done', 'last')),
  ).toEqual([
    [0, 3, 3],
    [3, 4, 4],
  ]);
});

test('a call without a result and a result without a call hold nothing together', () => {
  expect(cuts(call('a'), said('stop'), answer('ok'), result('stray', 'x'))).toEqual([
    [0, 1, 2],
    [2, 4, 4],
  ]);
});

test('words among the results cannot be told apart from the work', () => {
  const mixed = user(
    { type: 'tool_result', tool_use_id: 'b', content: 'y' },
    { type: 'text', text: 'also' },
  );

  expect(cuts(call('a'), said('hm'), result('a', 'x'))).toEqual([[0, 0, 3]]);
  expect(cuts(call('b'), mixed)).toEqual([[0, 0, 2]]);
  expect(cuts(call('a', 'Bash', {}, 'one'), said('hm'), answer('go on', 'one'))).toEqual([
    [0, 0, 3],
  ]);
});

test('no reply, no round', () => {
  expect(cuts(said('go'), said('on'))).toEqual([]);
});
