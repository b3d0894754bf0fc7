import { judge } from '../../src/crash-test/judgement';
import type { Outcome } from '../../src/crash-test/outcome';

const result = (content: string) => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
  toolUseResult: content,
});

const outcome = (more: Partial<Outcome> = {}): Outcome => ({
  conversations: { 'query-1': [result('ran')] },
  states: { 'query-1': { turn: 2 } },
  results: [{ subtype: 'success' }],
  files: { 'notes.txt': 'one', log: 'line\n' },
  effects: { line: 1 },
  modelCalls: 4,
  modelFailures: [],
  unknown: [],
  ...more,
});

const rulesBroken = (killed: Outcome, mayBeUnknown = false, ignore: readonly string[] = []) =>
  judge({ undisturbed: outcome(), killed, mayBeUnknown, mostRepeats: 1, ignore }).map(
    ({ rule }) => rule,
  );

test('a run that left the same kept every promise, also if it asked the model once more', () => {
  expect(rulesBroken(outcome({ modelCalls: 5 }))).toEqual([]);
});

test.each<[string, Partial<Outcome>, string]>([
  ['another conversation', { conversations: { 'query-1': [] } }, 'conversation'],
  ['another State', { states: { 'query-1': { turn: 3 } } }, 'state'],
  ['another result', { results: [] }, 'result'],
  ['another file', { files: { 'notes.txt': 'two', log: 'line\n' } }, 'files'],
  ['an effect that happened twice', { effects: { line: 2 } }, 'effect twice'],
  ['an effect that nobody had asked for', { effects: { line: 1, other: 1 } }, 'effect twice'],
  ['an effect that is missing', { effects: {} }, 'effect lost'],
  ['two model calls more', { modelCalls: 6 }, 'model calls'],
  ['a request that the model refused', { modelFailures: ['no pair'] }, 'model refused'],
])('%s is a violation', (_what, left, rule) => {
  expect(rulesBroken(outcome(left))).toEqual([rule]);
});

test('a difference is named by its place, with both values', () => {
  const killed = outcome({ states: { 'query-1': { turn: 3 } } });

  const [violation] = judge({
    undisturbed: outcome(),
    killed,
    mayBeUnknown: false,
    mostRepeats: 1,
    ignore: [],
  });

  expect(violation?.detail).toBe('/query-1/turn: 3 instead of 2');
});

test('a call reported as unknown may differ in its result and its effect, if the crash left no other way', () => {
  const conversations = { 'query-1': [result('Outcome unknown: …')] };
  const killed = outcome({ conversations, effects: {}, files: {}, unknown: ['toolu_1'] });

  expect(rulesBroken(killed, true)).toEqual([]);
  expect(rulesBroken(killed, false)).toEqual(['unknown without cause']);
});

test('a call reported as unknown must not have happened twice', () => {
  const killed = outcome({ effects: { line: 2 }, unknown: ['toolu_1'] });

  expect(rulesBroken(killed, true)).toEqual(['effect twice']);
});

test('a file that the script names may differ', () => {
  const killed = outcome({ files: { 'notes.txt': 'two', log: 'line\n' } });

  expect(rulesBroken(killed, false, ['notes.txt'])).toEqual([]);
});
