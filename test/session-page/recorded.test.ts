import { LoggedQueries } from '../../src/session-page/logged-queries';
import { recordedEntries } from '../../src/session-page/recorded-entries';
import type { TranscriptRecord } from '../../src/transcript/record';

/** As another program writes them: one block a record, no log beside. */
const record = (seconds: number, uuid: string, more: object): TranscriptRecord =>
  ({
    uuid,
    timestamp: new Date(seconds * 1_000).toISOString(),
    isSidechain: false,
    ...more,
  }) as TranscriptRecord;
const user = (seconds: number, uuid: string, content: unknown) =>
  record(seconds, uuid, { type: 'user', message: { role: 'user', content } });
const reply = (seconds: number, uuid: string, id: string, ...content: readonly object[]) =>
  record(seconds, uuid, { type: 'assistant', message: { id, content, stop_reason: null } });
const bash = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: 'ls' } });
const result = (id: string, isError = false) => [
  { type: 'tool_result', tool_use_id: id, content: 'x', ...(isError && { is_error: true }) },
];

test('a foreign transcript becomes messages, turns, and calls with their outcome', async () => {
  const queries = new LoggedQueries(async () => undefined);
  const chain = [
    user(1, 'u1', 'List the files.'),
    reply(3, 'a1', 'msg-1', { type: 'text', text: 'I look.' }),
    reply(4, 'a2', 'msg-1', bash('t1')),
    reply(4, 'a3', 'msg-1', bash('t2')),
    user(6, 'r1', result('t1')),
    user(9, 'r2', result('t2', true)),
    reply(11, 'a4', 'msg-2', { type: 'text', text: 'There are two.' }),
    user(20, 'u2', 'Thanks.'),
  ];

  for (const { entry, atMs } of recordedEntries(chain)) await queries.add(entry, atMs);
  const [first, second] = queries.toFacts(() => 'recorded');

  expect(first).toMatchObject({ prompt: 'List the files.', state: 'recorded', toMs: 11_000 });
  expect(first?.turns.map(({ number, text }) => [number, text])).toEqual([
    [1, 'I look.'],
    [2, 'There are two.'],
  ]);
  expect(first?.turns[0]?.requests).toMatchObject([{ fromMs: 1_000, toMs: 4_000 }]);
  expect(first?.turns[0]?.calls).toMatchObject([
    { id: 't1', summary: 'ls', outcome: 'ok', fromMs: 4_000, toMs: 6_000 },
    { id: 't2', outcome: 'error', toMs: 9_000 },
  ]);
  expect(second).toMatchObject({ prompt: 'Thanks.', turns: [] });
});
