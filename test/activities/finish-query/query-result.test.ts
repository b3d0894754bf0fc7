import { toQueryResult } from '../../../src/activities/finish-query/query-result';
import { NO_TOTALS } from '../../../src/activities/finish-query/session-totals';
import { syntheticReply, userRecord } from '../../../src/activities/new-record';
import type { Terminal } from '../../../src/loop/terminal';
import type { QueryResult } from '../../../src/transcript/session-log';
import { tally } from './ended';

const facts = { sessionId: 's', cwd: '/', timestamp: '2026-11-21T10:00:00.000Z', version: '1' };
const answer = syntheticReply(facts, { text: 'The last words.' });

const resultOf = (terminal: Terminal, chain = [userRecord(facts, 'Hello'), answer]) =>
  toQueryResult({
    terminal,
    tally: tally({ startedAtMs: 1_000, apiMs: 300 }),
    totals: NO_TOTALS,
    denials: [],
    chain,
    nowMs: 3_500,
  });

const said = { subtype: 'success', result: 'The last words.' } as const;
const failed = 'error_during_execution';

test.each<[string, Terminal, Partial<QueryResult>]>([
  ['an answer', { reason: 'completed', detail: 'end_turn' }, { ...said, is_error: false }],
  ['a command', { reason: 'completed', detail: 'no_request' }, { ...said, is_error: false }],
  ['an API error', { reason: 'completed', detail: 'api_error' }, { ...said, is_error: true }],
  [
    'the output limit',
    { reason: 'completed', detail: 'output_limit' },
    { ...said, is_error: true },
  ],
  ['a prompt too long', { reason: 'prompt_too_long' }, { ...said, is_error: true }],
  ['an image too large', { reason: 'image_error' }, { ...said, is_error: true }],
  [
    'the turn limit',
    { reason: 'max_turns', turnCount: 4 },
    {
      subtype: 'error_max_turns',
      is_error: true,
      errors: ['Reached the limit of 3 turns (--max-turns).'],
    },
  ],
  [
    'a model that could not be asked',
    { reason: 'model_error', message: 'why' },
    { subtype: failed, is_error: true, errors: ['why'] },
  ],
  [
    'a stop of the user while it spoke',
    { reason: 'aborted_streaming', by: 'user' },
    { subtype: failed, is_error: true, errors: ['Stopped by the user (aborted_streaming).'] },
  ],
  [
    'a stop for a new message while tools ran',
    { reason: 'aborted_tools', by: 'new_message' },
    { subtype: failed, is_error: true, errors: ['Stopped by a new message (aborted_tools).'] },
  ],
])('the result of a query that ended by %s', (_what, terminal, expected) => {
  const result = resultOf(terminal);

  expect(result).toMatchObject({ terminal_reason: terminal.reason, ...expected });
  expect('result' in result).toBe(expected.subtype === 'success');
  expect('errors' in result).toBe(expected.subtype !== 'success');
});

test('times are counted from the start of the query, with those of the API apart', () => {
  const result = resultOf({ reason: 'completed', detail: 'end_turn' });

  expect(result).toMatchObject({ duration_ms: 2_500, duration_api_ms: 300 });
});

test('a query that did not end with a text has an empty result', () => {
  const result = resultOf({ reason: 'completed', detail: 'end_turn' }, [
    userRecord(facts, 'Hello'),
  ]);

  expect(result.result).toBe('');
});
