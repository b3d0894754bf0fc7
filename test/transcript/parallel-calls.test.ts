import { withParallelCalls } from '../../src/transcript/files/parallel-calls';
import type { TranscriptRecord } from '../../src/transcript/record';

const record = (of: object) => of as TranscriptRecord;
const prompt = record({ uuid: 'prompt', type: 'user', message: { role: 'user', content: 'go' } });
const called = (uuid: string, call: string, more: object = {}) =>
  record({
    uuid,
    type: 'assistant',
    message: { id: 'reply', content: [{ type: 'tool_use', id: call }] },
    ...more,
  });
const answered = (uuid: string, call: string) =>
  record({
    uuid,
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: call }] },
  });
const uuids = (chain: readonly TranscriptRecord[]) => chain.map(({ uuid }) => uuid);

const file = [
  prompt,
  called('A', 'a'),
  called('B', 'b'),
  answered('ofA', 'a'),
  answered('ofB', 'b'),
];
const [, a, b, ofA, ofB] = file as [
  TranscriptRecord,
  TranscriptRecord,
  TranscriptRecord,
  TranscriptRecord,
  TranscriptRecord,
];
const end = record({ uuid: 'end', type: 'assistant', message: { id: 'other', content: [] } });

test.each([
  ['the result of the last call', [prompt, a, b, ofB, end]],
  ['the result of the first call', [prompt, a, ofA, end]],
  ['both', [prompt, a, ofA, b, ofB, end]],
])('a chain that leads through %s has all calls, then all results', (_which, chain) => {
  expect(uuids(withParallelCalls(chain, () => [...file, end]))).toEqual([
    'prompt',
    'A',
    'B',
    'ofA',
    'ofB',
    'end',
  ]);
});

test('a call without a result stays where it is', () => {
  const chain = [prompt, a];

  expect(uuids(withParallelCalls(chain, () => chain))).toEqual(['prompt', 'A']);
});

test('what everloop wrote is left as it is', () => {
  const own = called('own', 'a', { everloop: { key: 'k' } });

  expect(withParallelCalls([prompt, own], () => file)).toEqual([prompt, own]);
});
