import type { Pending, ToolUse } from './context';
import type { LoopEvent, ModelOutcome, ToolOutcome } from './deps';
import type { ToolUseContext } from './state';
import type { ToolScheduler } from './tool-scheduler';

/** What a reply's calls came to: one pending result per call, in request order, and the context after them. */
export interface ToolBatch {
  readonly results: readonly Pending[];
  readonly toolUseContext: ToolUseContext;
}

/** Stage 4: waits for every call of the reply and tells each result. Each call gets exactly one. */
export async function* collectResults(
  outcome: ModelOutcome,
  tools: ToolScheduler,
  before: ToolUseContext,
): AsyncGenerator<LoopEvent, ToolBatch> {
  tools.addAll(streamOf(outcome), 'toolUses' in outcome ? outcome.toolUses : []);
  const results: Pending[] = [];
  let toolUseContext = before;
  for await (const { toolUse, outcome: came } of tools.results()) {
    yield { type: 'tool_result', toolUse, outcome: came };
    results.push(pendingResult(toolUse, came));
    if (came.type === 'done' && came.workingDirectory !== undefined) {
      toolUseContext = { ...toolUseContext, workingDirectory: came.workingDirectory };
    }
  }
  return { results, toolUseContext };
}

/** A reply that was cut off keeps no stream: calls that began early in it are void. */
function streamOf(outcome: ModelOutcome): string {
  return outcome.type === 'reply' || outcome.type === 'interrupted' ? outcome.stream : '';
}

function pendingResult({ id, recordId }: ToolUse, outcome: ToolOutcome): Pending {
  const toolUse = { id, recordId };
  switch (outcome.type) {
    case 'done':
      return { type: 'tool_result', toolUse };
    case 'interrupted':
      return { type: 'tool_result', toolUse, lost: 'user_interrupted' };
    case 'failed':
      return { type: 'tool_result', toolUse, lost: 'tool_failed' };
  }
}
