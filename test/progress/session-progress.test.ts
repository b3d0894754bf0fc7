import { SessionProgress } from '../../src/cli/session-progress';
import type { LogEntry } from '../../src/transcript/session-log';
import type { QueryStatus } from '../../src/workflows/interface';
import {
  promptRecord,
  queryEnded,
  queryStarted,
  record,
  SESSION_ID,
  userRecord,
} from '../support/fake-session';
import { RUN_OPTIONS } from '../support/fake-surroundings';

const START = Date.parse('2026-01-02T03:04:05.000Z');
const PROMPT = { id: 'p1', content: 'Go.', submittedAt: '', options: RUN_OPTIONS };
const QUERY = { queryId: 'query-p1' };
const turn = (count: number): LogEntry => ({
  type: 'stream_started',
  ...QUERY,
  stream: `s${count}`,
  turn: count,
  live: '',
});
const bash: LogEntry = {
  type: 'tool_started',
  ...QUERY,
  toolUseId: 't1',
  name: 'Bash',
  summary: 'npm test # TOKEN=hunter2hunter2',
};
const bashEnded = record(
  'p1',
  userRecord({ content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] }),
);
const asks = (reasonType: string): LogEntry => ({
  type: 'permission_requested',
  ...QUERY,
  question: {
    call: { id: 't1', recordId: 'r1' },
    toolName: 'Bash',
    input: { command: 'npm\n  test' },
    reason: 'a rule asks',
    reasonType,
    suggestedRules: [],
    blockedPath: null,
  },
});

/** One entry a second after a prompt was taken up. */
function seen(...entries: readonly LogEntry[]): SessionProgress {
  const progress = new SessionProgress(SESSION_ID);
  [queryStarted(PROMPT), promptRecord(PROMPT), ...entries].forEach((entry, index) =>
    progress.see(entry, new Date(START + index * 1_000).toISOString()),
  );
  return progress;
}

const at = (progress: SessionProgress, seconds: number) => progress.shown(START + seconds * 1_000);

test('a tool that runs is shown with its time, without secrets', () => {
  const progress = seen(
    turn(3),
    { type: 'stream_committed', ...QUERY, stream: 's3', leaf: '' },
    bash,
  );

  expect(at(progress, 70)).toMatchObject({
    head: 'turn 3',
    body: '1m 06s Bash npm test # TOKEN=[redacted]',
    tail: '1m 10s',
    tone: 'calm',
  });
  progress.see(bashEnded, new Date(START).toISOString());
  expect(at(progress, 71)?.body).toBe('');
});

test('a session that waits says for what, and the command that helps', () => {
  const short = SESSION_ID.slice(0, 8);

  expect(at(seen(turn(1), asks('rule')), 8)).toMatchObject({
    body: 'waits for approval: Bash npm test',
    tail: `everloop approve ${short} · 5s`,
    tone: 'waits',
  });
  expect(at(seen(turn(1), asks('user_interaction')), 8)).toMatchObject({
    body: 'waits for an answer',
    tail: `everloop answer ${short} · 5s`,
  });
});

test('a question that was part of a reply goes with it', () => {
  const asked = { ...asks('rule'), stream: 's1' } as LogEntry;
  const taken: LogEntry = { type: 'stream_discarded', ...QUERY, stream: 's1', reason: 'retry' };

  expect(at(seen(turn(1), asked, taken), 8)?.tone).toBe('calm');
});

test('context and cost come from the session itself', () => {
  const progress = seen(turn(1));
  const usage = { input_tokens: 1_000_000, output_tokens: 0 };
  const zero = { cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
  const query = {
    turn: 2,
    waitingFor: null,
    counters: { contextTokens: 50_000 },
    tally: { usageByModel: { 'claude-sonnet-4-5': { ...usage, ...zero } } },
  } as unknown as QueryStatus;

  progress.look({ isServed: true, query, endedUsd: 0.5 });

  expect(at(progress, 9)).toMatchObject({ head: 'turn 2', tail: 'context 25 % · $3.50 · 9s' });
});

test('a session that nobody serves says so at the second look: a Worker may just be taking over', () => {
  const progress = seen(turn(1));
  const unserved = { isServed: false, query: null, endedUsd: 0 };

  progress.look(unserved);
  expect(at(progress, 3)?.tone).toBe('calm');
  progress.look(unserved);

  expect(at(progress, 6)?.body).toBe('served by nobody: start everloop worker');
});

test('a session that has nothing to do shows nothing', () => {
  expect(at(new SessionProgress(SESSION_ID), 1)).toBeNull();
  expect(at(seen(turn(1), bash, queryEnded('p1')), 9)).toBeNull();
});
