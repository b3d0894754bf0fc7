import type { LoopEvent } from './events';
import type { QueryParams } from './query-params';
import { costOfQuery, type Tally } from './tally';

/** The end of a query whose reply crossed its money limit; null: it did not. Asked by the host after every event,
 *  outside the loop, and tools are not waited for (spec/loop 6.9). */
export function endAtMoneyLimit(
  { maxBudgetUsd }: Pick<QueryParams, 'maxBudgetUsd'>,
  event: LoopEvent,
  tally: Tally,
): Extract<LoopEvent, { type: 'end' }> | null {
  if (maxBudgetUsd == null || event.type !== 'assistant') return null;
  if (costOfQuery(tally) <= maxBudgetUsd) return null;
  const { leaf, toolUses } = event.reply;
  const pending = toolUses.map(({ id, recordId }) => {
    return { type: 'tool_result', toolUse: { id, recordId }, lost: 'budget_exhausted' } as const;
  });
  return { type: 'end', messages: { leaf, pending }, terminal: { reason: 'budget_exhausted' } };
}
