import type { Work } from './ask-model';
import { terminalAfterTools } from './decide';
import type { LoopDeps } from './deps';
import type { LoopEvent } from './events';
import type { ToolBatch } from './tool-batch';

/** Tells the label of the batch before, when the reply that followed it is there (spec/loop 5.15, 6.1). */
export async function* tellSummary(
  reference: string,
  deps: LoopDeps,
): AsyncGenerator<LoopEvent, void> {
  const summary = await deps.toolUseSummary(reference);
  if (summary !== null) yield { type: 'tool_use_summary', summary };
}

/** Starts a label for this batch and goes on; null: none is wanted. Sub-agents have none, and a query that ends
 *  with this batch has no iteration left that could tell it. */
export function startSummary(work: Work, batch: ToolBatch): string | null {
  const { state, params, deps } = work;
  const { toolUseContext, turnCount } = state;
  const { toolUses, results } = batch;
  if (!params.gates.toolUseSummaries || results.length === 0) return null;
  if (toolUseContext.queryTracking.depth > 0) return null;
  if (deps.abortReason() !== null || terminalAfterTools(work, batch) !== null) return null;
  return deps.startToolUseSummary({ toolUses, turnCount });
}
