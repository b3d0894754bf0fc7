import type { LoopEvent } from './events';
import { endAtLimit } from './limits';
import type { QueryParams } from './query-params';
import type { Tally } from './tally';

/** The end of a query whose reply crossed its money limit, for hosts that have no other limits; null: it did not. */
export const endAtMoneyLimit = (
  { maxBudgetUsd = null }: Pick<QueryParams, 'maxBudgetUsd'>,
  event: LoopEvent,
  tally: Tally,
): ReturnType<typeof endAtLimit> => endAtLimit({ maxBudgetUsd }, event, tally, tally.startedAtMs);
