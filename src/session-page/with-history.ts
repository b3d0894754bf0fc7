import type { CallFacts, Mark, QueryFacts, RequestFacts, Span, TurnFacts } from './facts';
import { callKey, turnKey, type HistoryFacts } from './history-facts';

/** What the log told of a query, with what its Event History adds. */
export function withHistory(
  query: QueryFacts,
  histories: ReadonlyMap<string, HistoryFacts>,
): QueryFacts {
  const history = histories.get(query.queryId);
  const turns = query.turns.map((turn) => withAttempts(turn, history, histories));
  if (history === undefined) return { ...query, turns };
  return {
    ...query,
    turns,
    pauses: history.pauses.map((pause) => endedWith(pause, query)),
    workers: history.workers.map(({ name }) => name),
    marks: [...query.marks, ...marksOf(history)].sort((a, b) => a.atMs - b.atMs),
  };
}

const endedWith = (pause: Span, { toMs }: Span): Span => ({
  ...pause,
  toMs: pause.toMs ?? toMs,
});

function withAttempts(
  turn: TurnFacts,
  history: HistoryFacts | undefined,
  histories: ReadonlyMap<string, HistoryFacts>,
): TurnFacts {
  const calls = turn.calls.map((call): CallFacts => {
    const { subAgent } = call;
    const done = history?.activities.get(callKey(call));
    return {
      ...call,
      subAgent: subAgent && withHistory(subAgent, histories),
      ...(done && {
        attempts: done.attempts,
        lastAttemptMs: done.lastAttemptMs,
        attemptFailure: done.failure,
        worker: done.worker,
      }),
    };
  });
  const asked = history?.activities.get(turnKey(turn.number));
  return { ...turn, calls, requests: withLost(turn.requests, asked?.attempts ?? 1) };
}

/** An attempt that died before its first request left no other trace. */
function withLost(requests: readonly RequestFacts[], attempts: number): readonly RequestFacts[] {
  const [first] = requests;
  if (first === undefined || attempts <= requests.length) return requests;
  const lost: RequestFacts = { ...first, toMs: first.fromMs, outcome: 'lost', reason: null };
  return [...Array<RequestFacts>(attempts - requests.length).fill(lost), ...requests];
}

function marksOf({ workers, rollovers }: HistoryFacts): readonly Mark[] {
  const ofWorkers = workers.slice(1).map(({ name, atMs }): Mark => ({
    type: 'worker',
    atMs,
    label: `Worker ${name}`,
    text: '',
  }));
  const ofRuns = rollovers.map((atMs): Mark => ({
    type: 'rollover',
    atMs,
    label: 'Event History begins anew',
    text: '',
  }));
  return [...ofWorkers, ...ofRuns];
}
