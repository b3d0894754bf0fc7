import type { Work } from './ask-model';
import type { Pending } from './context';
import { isLastTurn, terminalAfterTools } from './decide';
import type { Attachment } from './events';
import type { ToolBatch } from './tool-batch';

/** What goes to the model with the next request, and what observers hear of it now. */
export interface CollectedAttachments {
  readonly pending: readonly Pending[];
  readonly told: readonly Attachment[];
}

export const NO_ATTACHMENTS: CollectedAttachments = { pending: [], told: [] };

/** Stage 5: what the model should hear beside the results. When the query ends with this batch, or is being
 *  stopped, nothing is taken, so that a message that waits becomes a query of its own instead of being lost
 *  (spec/loop 2.2, 8.1, 8.2, 8.9). What files, memory and skills have to say is content: the Activity that sends
 *  the next request collects it. */
export function collectAttachments(work: Work, batch: ToolBatch): CollectedAttachments {
  const { state, params, deps } = work;
  const told: Attachment[] = [];
  const terminal = terminalAfterTools(work, batch);
  const isStopped = deps.abortReason() !== null;
  const isOver = terminal?.reason === 'max_turns' || (isStopped && isLastTurn(state, params));
  if (params.maxTurns !== null && isOver) {
    const { maxTurns } = params;
    const turnCount = state.turnCount + 1;
    told.push({ type: 'max_turns_reached', maxTurns, turnCount });
  }
  if (isStopped || terminal !== null) return { pending: [], told };
  // An agent that slept has nothing better to do.
  const hasSlept = batch.toolUses.some(({ name }) => name === 'Sleep');
  const queued = deps.takeQueued(hasSlept ? 'later' : 'next');
  for (const { messageId } of queued) told.push({ type: 'queued_message', messageId });
  return { pending: queued, told };
}
