import type { Pending } from './context';
import { isLastTurn } from './decide';
import type { LoopDeps, LoopEvent } from './deps';
import type { QueryParams } from './query-params';
import type { State } from './state';

/** Stage 5: what the model should hear beside the results. At the turn limit, and when the query is being
 *  stopped, nothing is taken, so that a message that waits becomes a query of its own instead of being lost
 *  (spec/loop 2.2, 8.2, 8.9). */
export async function* collectAttachments(
  state: State,
  params: QueryParams,
  deps: LoopDeps,
): AsyncGenerator<LoopEvent, readonly Pending[]> {
  if (params.maxTurns !== null && isLastTurn(state, params)) {
    const { maxTurns } = params;
    const turnCount = state.turnCount + 1;
    yield { type: 'attachment', attachment: { type: 'max_turns_reached', maxTurns, turnCount } };
    return [];
  }
  if (deps.abortReason() !== null) return [];
  const queued = deps.takeQueued();
  for (const { messageId } of queued) {
    yield { type: 'attachment', attachment: { type: 'queued_message', messageId } };
  }
  return queued;
}
