import type { CallFacts, QueryFacts, RequestFacts, TurnFacts } from './facts';

/** Turns and calls on one page. A page with as many has about 7 MB. */
export const MOST_ITEMS = 6_000;
/** Of them from the beginning of the session; the rest is its end. */
const FROM_BEGINNING = MOST_ITEMS / 10;
const MOST_CALLS_OF_TURN = 100;
const MOST_REQUESTS_OF_TURN = 20;
const MOST_TURNS_OF_SUB_AGENT = 100;

/** A session without what is too much for one page: turns in the middle go first. */
export interface Shortened {
  readonly queries: readonly QueryFacts[];
  readonly hiddenTurns: number;
  readonly hiddenCalls: number;
}

export function shortened(all: readonly QueryFacts[]): Shortened {
  const capped = all.map(cappedQuery);
  const weights = capped.flatMap(({ turns }) => turns.map(itemsOf));
  const kept = keptOf(weights);
  let index = 0;
  const queries = capped.flatMap((query): readonly QueryFacts[] => {
    const turns = query.turns.filter(() => kept.has(index++));
    return turns.length === 0 && query.turns.length > 0 ? [] : [{ ...query, turns }];
  });
  const [before, after] = [countOf(all), countOf(queries)];
  return {
    queries,
    hiddenTurns: before.turns - after.turns,
    hiddenCalls: before.calls - after.calls,
  };
}

/** Which of the turns stay. */
function keptOf(weights: readonly number[]): ReadonlySet<number> {
  const all = weights.reduce((sum, one) => sum + one, 0);
  const kept = new Set<number>();
  let room = all <= MOST_ITEMS ? Infinity : FROM_BEGINNING;
  for (const [index, weight] of weights.entries()) {
    if (weight > room) break;
    room -= weight;
    kept.add(index);
  }
  room = MOST_ITEMS - FROM_BEGINNING;
  for (let index = weights.length - 1; index >= 0 && !kept.has(index); index -= 1) {
    const weight = weights[index] ?? 0;
    if (weight > room) break;
    room -= weight;
    kept.add(index);
  }
  return kept;
}

const cappedQuery = (query: QueryFacts): QueryFacts => ({
  ...query,
  turns: query.turns.map(cappedTurn),
});

function cappedTurn(turn: TurnFacts): TurnFacts {
  const calls = turn.calls.slice(0, MOST_CALLS_OF_TURN).map((call): CallFacts => {
    const { subAgent } = call;
    if (subAgent === null) return call;
    const turns = subAgent.turns.slice(0, MOST_TURNS_OF_SUB_AGENT).map(cappedTurn);
    return { ...call, subAgent: { ...subAgent, turns } };
  });
  return { ...turn, calls, requests: cappedRequests(turn.requests) };
}

/** The last ones tell how it ended. */
function cappedRequests(requests: readonly RequestFacts[]): readonly RequestFacts[] {
  if (requests.length <= MOST_REQUESTS_OF_TURN) return requests;
  const half = MOST_REQUESTS_OF_TURN / 2;
  return [...requests.slice(0, half), ...requests.slice(-half)];
}

function itemsOf(turn: TurnFacts): number {
  const { turns, calls } = countOf([{ turns: [turn] }]);
  return turns + calls;
}

function countOf(queries: readonly Pick<QueryFacts, 'turns'>[]): { turns: number; calls: number } {
  const count = { turns: 0, calls: 0 };
  for (const { turns } of queries) {
    count.turns += turns.length;
    for (const { calls } of turns) {
      const below = countOf(calls.flatMap(({ subAgent }) => subAgent ?? []));
      count.turns += below.turns;
      count.calls += calls.length + below.calls;
    }
  }
  return count;
}
