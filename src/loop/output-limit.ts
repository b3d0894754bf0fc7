import type { QueryParams } from './query-params';
import type { Reply } from './outcomes';
import type { State } from './state';

/** S0, ladder 2: how often a truncated reply is nudged on before the error is shown. */
export const MAX_OUTPUT_LIMIT_RECOVERIES = 3;

export const mayNudge = ({ maxOutputTokensRecoveryCount }: State): boolean =>
  maxOutputTokensRecoveryCount < MAX_OUTPUT_LIMIT_RECOVERIES;

/** The large limit is tried once per episode, and only where the small one was the reason: a full window (4.6) is
 *  not helped by it. */
export const mayEscalate = (state: State, { gates }: QueryParams, reply: Reply): boolean =>
  gates.cappedOutput &&
  state.maxOutputTokensOverride === null &&
  state.maxOutputTokensRecoveryCount === 0 &&
  reply.stopReason === 'max_tokens';
