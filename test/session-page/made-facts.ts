import type {
  CallFacts,
  QueryFacts,
  RequestFacts,
  SessionFacts,
  TurnFacts,
} from '../../src/session-page/facts';

export const BEGUN_MS = Date.parse('2026-01-31T12:00:00Z');

export const usage = (input: number, output: number) => ({
  input_tokens: input,
  output_tokens: output,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
});

/** Instants of what is made: ms since the session began. */
export const madeCall = (fromMs: number, toMs: number | null, more: Partial<CallFacts> = {}) =>
  ({
    id: 'toolu_1',
    recordId: 'record-1',
    name: 'Bash',
    summary: 'npm test',
    fromMs: BEGUN_MS + fromMs,
    toMs: toMs === null ? null : BEGUN_MS + toMs,
    outcome: 'ok',
    failure: '',
    attempts: 1,
    lastAttemptMs: null,
    attemptFailure: '',
    worker: null,
    waits: [],
    subAgent: null,
    ...more,
  }) satisfies CallFacts;

export const madeRequest = (fromMs: number, toMs: number): RequestFacts => ({
  fromMs: BEGUN_MS + fromMs,
  toMs: BEGUN_MS + toMs,
  outcome: 'committed',
  reason: null,
});

export const madeTurn = (
  number: number,
  request: RequestFacts,
  calls: readonly CallFacts[] = [],
): TurnFacts => ({
  number,
  requests: [request],
  reply: {
    model: 'claude-sonnet-4-6',
    usage: usage(100, 10),
    costUsd: 0.01,
    stopReason: calls.length > 0 ? 'tool_use' : 'end_turn',
  },
  text: '',
  calls,
});

export const madeQuery = (
  turns: readonly TurnFacts[],
  more: Partial<QueryFacts> = {},
): QueryFacts => {
  const ends = turns.flatMap(({ requests, calls }) => [...requests, ...calls]);
  return {
    queryId: 'query-1',
    promptId: 'prompt-1',
    prompt: 'Repair it.',
    model: 'claude-sonnet-4-6',
    fromMs: BEGUN_MS,
    toMs: Math.max(...ends.map(({ toMs }) => toMs ?? BEGUN_MS)),
    state: 'ended',
    result: { subtype: 'success', is_error: false, terminal_reason: 'completed' },
    turns,
    compactions: [],
    pauses: [],
    marks: [],
    workers: [],
    ...more,
  };
};

export const madeSession = (
  queries: readonly QueryFacts[],
  more: Partial<SessionFacts> = {},
): SessionFacts => ({
  sessionId: '3f1b2c4d-0000-4000-8000-000000000000',
  cwd: '/project',
  createdMs: BEGUN_MS,
  seenMs: BEGUN_MS + 3_600_000,
  history: { type: 'read' },
  queries,
  ...more,
});
