import { addUsage, NO_USAGE, type Usage } from '../loop/usage';
import type { CallFacts, QueryFacts, SessionFacts, Span, TurnFacts } from './facts';

/** Sums over a session, sub-agents included. */
export interface Totals {
  /** Replies, of sub-agents too. */
  readonly turns: number;
  readonly calls: number;
  /** Calls that ended other than well. */
  readonly failed: number;
  readonly subAgents: number;
  readonly usage: Usage;
  readonly costUsd: number;
  /** Attempts beside the first, of requests and of calls. */
  readonly retries: number;
  /** Names, in the order in which they came. */
  readonly workers: readonly string[];
  readonly rollovers: number;
  readonly compactions: number;
  /** From the first sign of it to the last. */
  readonly wallMs: number;
  /** While a model was asked, a tool ran, or somebody's word was awaited: overlap counts once. */
  readonly modelMs: number;
  readonly toolMs: number;
  readonly waitMs: number;
  /** Of all models that answered, by how much they wrote. */
  readonly models: readonly string[];
}

export function totalsOf({ queries, seenMs }: SessionFacts): Totals {
  const all = queries.flatMap(withSubAgents);
  const turns = all.flatMap((query) => query.turns);
  const calls = turns.flatMap((turn) => turn.calls);
  const compactions = all.flatMap((query) => query.compactions);
  const written = new Map<string, number>();
  for (const { reply } of turns) {
    if (reply === null) continue;
    written.set(reply.model, (written.get(reply.model) ?? 0) + reply.usage.output_tokens);
  }
  const waits = calls.flatMap((call) => call.waits);
  const spans = unionOf(queries, seenMs);
  return {
    turns: turns.filter(({ reply }) => reply !== null).length,
    calls: calls.length,
    failed: calls.filter(({ outcome }) => !['ok', 'running'].includes(outcome)).length,
    subAgents: all.length - queries.length,
    usage: [...turns.flatMap(({ reply }) => reply ?? []), ...compactions]
      .map(({ usage }) => usage)
      .reduce(addUsage, NO_USAGE),
    costUsd: sum([...turns.map(costOfTurn), ...compactions.map(({ costUsd }) => costUsd)]),
    retries: sum([
      ...turns.map(({ requests }) => requests.filter(({ outcome }) => isFailed(outcome)).length),
      ...calls.map(({ attempts }) => attempts - 1),
    ]),
    workers: [...new Set(all.flatMap(({ workers }) => workers))],
    rollovers: all.flatMap(({ marks }) => marks).filter(({ type }) => type === 'rollover').length,
    compactions: compactions.length,
    wallMs: (spans.at(-1)?.toMs ?? 0) - (spans[0]?.fromMs ?? 0),
    modelMs: lengthOf(
      unionOf(
        turns.flatMap(({ requests }) => requests),
        seenMs,
      ),
    ),
    toolMs: lengthOf(unionOf(calls.flatMap(runningOf), seenMs)),
    waitMs: lengthOf(unionOf([...waits, ...all.flatMap(({ pauses }) => pauses)], seenMs)),
    models: [...written].sort((a, b) => b[1] - a[1]).map(([model]) => model),
  };
}

export const costOfTurn = ({ reply }: TurnFacts): number => reply?.costUsd ?? 0;

export function withSubAgents(query: QueryFacts): readonly QueryFacts[] {
  const calls = query.turns.flatMap((turn) => turn.calls);
  return [query, ...calls.flatMap(({ subAgent }) => (subAgent ? withSubAgents(subAgent) : []))];
}

/** Where a call did more than wait. */
export function runningOf({ fromMs, toMs, waits }: CallFacts): readonly Span[] {
  const waited = waits.at(-1);
  if (waited === undefined) return [{ fromMs, toMs }];
  return waited.toMs === null || waited.toMs === toMs ? [] : [{ fromMs: waited.toMs, toMs }];
}

/** Stretches of time without overlap, in order. What goes on has come as far as `nowMs`. */
export function unionOf(
  spans: readonly Span[],
  nowMs: number,
): readonly { readonly fromMs: number; readonly toMs: number }[] {
  const union: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of [...spans].sort((a, b) => a.fromMs - b.fromMs)) {
    const end = toMs ?? Math.max(nowMs, fromMs);
    const last = union.at(-1);
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, end);
    else union.push({ fromMs, toMs: end });
  }
  return union;
}

const isFailed = (outcome: string): boolean => outcome === 'discarded' || outcome === 'lost';
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const lengthOf = (spans: ReturnType<typeof unionOf>): number =>
  sum(spans.map(({ fromMs, toMs }) => toMs - fromMs));
