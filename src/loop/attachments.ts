import type { Work } from './ask-model';
import type { Pending } from './context';
import { isLastTurn, terminalAfterTools } from './decide';
import type { LoopEvent } from './events';
import type { ToolBatch } from './tool-batch';

/** Stage 5: what the model should hear beside the results. When the query ends with this batch, or is being
 *  stopped, nothing is taken, so that a message that waits becomes a query of its own instead of being lost
 *  (spec/loop 2.2, 8.1, 8.2, 8.9). What files, memory and skills have to say is content: the Activity that sends
 *  the next request collects it. */
export async function* collectAttachments(
  work: Work,
  batch: ToolBatch,
): AsyncGenerator<LoopEvent, readonly Pending[]> {
  const { state, params, deps } = work;
  const terminal = terminalAfterTools(work, batch);
  const isStopped = deps.abortReason() !== null;
  const isOver = terminal?.reason === 'max_turns' || (isStopped && isLastTurn(state, params));
  if (params.maxTurns !== null && isOver) {
    const { maxTurns } = params;
    const turnCount = state.turnCount + 1;
    yield { type: 'attachment', attachment: { type: 'max_turns_reached', maxTurns, turnCount } };
  }
  if (isStopped || terminal !== null) return [];
  // An agent that slept has nothing better to do.
  const hasSlept = batch.toolUses.some(({ name }) => name === 'Sleep');
  const queued = deps.takeQueued(hasSlept ? 'later' : 'next');
  for (const { messageId } of queued) {
    yield { type: 'attachment', attachment: { type: 'queued_message', messageId } };
  }
  return queued;
}
