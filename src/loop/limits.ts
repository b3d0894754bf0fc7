import type { LoopEvent } from './events';
import type { QueryParams } from './query-params';
import { costOfQuery, tokensOfQuery, type Tally } from './tally';

/** How much a query may use, its sub-agents included. Absent or null: no limit. */
export type Limits = Pick<
  QueryParams,
  'maxTurns' | 'maxBudgetUsd' | 'maxTokens' | 'maxMs' | 'onLimit'
>;

export type LimitName = 'usd' | 'tokens' | 'time' | 'turns';

type Used = Omit<Limits, 'maxTurns'>;

/** The first limit that the query has crossed; null: none. Turns are counted by the loop itself. */
export function crossedLimit(
  { maxBudgetUsd, maxTokens, maxMs }: Used,
  tally: Tally,
  nowMs: number,
): Exclude<LimitName, 'turns'> | null {
  if (maxBudgetUsd != null && costOfQuery(tally) > maxBudgetUsd) return 'usd';
  if (maxTokens != null && tokensOfQuery(tally) > maxTokens) return 'tokens';
  if (maxMs != null && elapsedMs(tally, nowMs) > maxMs) return 'time';
  return null;
}

/** Time since the query began, without the time that people kept it waiting. */
export const elapsedMs = ({ startedAtMs, parkedMs = 0 }: Tally, nowMs: number): number =>
  nowMs - startedAtMs - parkedMs;

/** The end of a query whose reply crossed a limit; null: it did not, or people are asked first. Asked by the host
 *  after every event, outside the loop, and tools are not waited for (spec/loop 6.9). */
export function endAtLimit(
  limits: Used,
  event: LoopEvent,
  tally: Tally,
  nowMs: number,
): Extract<LoopEvent, { type: 'end' }> | null {
  if (limits.onLimit === 'pause' || event.type !== 'assistant') return null;
  const limit = crossedLimit(limits, tally, nowMs);
  if (limit === null) return null;
  const { leaf, toolUses } = event.reply;
  const pending = toolUses.map(({ id, recordId }) => {
    return { type: 'tool_result', toolUse: { id, recordId }, lost: 'budget_exhausted' } as const;
  });
  const reason = 'budget_exhausted';
  const terminal = limit === 'usd' ? ({ reason } as const) : ({ reason, limit } as const);
  return { type: 'end', messages: { leaf, pending }, terminal };
}
