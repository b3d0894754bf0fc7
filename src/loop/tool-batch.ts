import type { CallOutcome } from './ask-model';
import type { Pending, ToolUse } from './context';
import type { LoopEvent } from './events';
import type { ToolOutcome } from './outcomes';
import type { ToolUseContext } from './state';
import type { ToolScheduler } from './tool-scheduler';

/** Name of the tool by which a model hands over the value of a caller's schema. */
export const STRUCTURED_OUTPUT = 'StructuredOutput';

/** What a reply's calls came to: one pending result per call, in request order, and the context after them. */
export interface ToolBatch {
  readonly toolUses: readonly ToolUse[];
  readonly results: readonly Pending[];
  readonly toolUseContext: ToolUseContext;
  /** A hook wants the query to end here. */
  readonly hookStopped: boolean;
  /** There were calls, and none wants a further reply. */
  readonly terminates: boolean;
  /** The value that the caller asked for is there. */
  readonly structuredOutput: boolean;
  /** Calls that should have brought it and failed. */
  readonly structuredFailures: number;
}

/** Stage 4: waits for every call of the reply and tells each result. Each call gets exactly one. */
export async function* collectResults(
  outcome: CallOutcome,
  tools: ToolScheduler,
  before: ToolUseContext,
): AsyncGenerator<LoopEvent, ToolBatch> {
  const toolUses = 'toolUses' in outcome ? outcome.toolUses : [];
  tools.addAll(streamOf(outcome), toolUses);
  const outcomes: ToolOutcome[] = [];
  let structuredFailures = 0;
  const results: Pending[] = [];
  for (const { toolUse, outcome: pending } of tools.results()) {
    const came = await pending;
    yield { type: 'tool_result', toolUse, outcome: came };
    outcomes.push(came);
    if (toolUse.name === STRUCTURED_OUTPUT && came.type === 'done' && came.isError) {
      structuredFailures += 1;
    }
    results.push(pendingResult(toolUse, came));
  }
  const voided = tools.voided();
  if (voided.length > 0) await Promise.all(voided);
  const done = outcomes.filter((came) => came.type === 'done');
  return {
    toolUses,
    results,
    toolUseContext: done.reduce(afterCall, before),
    hookStopped: done.some(({ hookStopped }) => hookStopped === true),
    terminates: done.length > 0 && outcomes.every(isTerminating),
    structuredOutput: done.some(({ structuredOutput }) => structuredOutput === true),
    structuredFailures,
  };
}

const isTerminating = (outcome: ToolOutcome): boolean =>
  outcome.type === 'done' && outcome.terminate === true;

/** Modifiers apply in the order of the request (spec/loop 4.22). */
function afterCall(
  context: ToolUseContext,
  { workingDirectory }: Extract<ToolOutcome, { type: 'done' }>,
): ToolUseContext {
  return workingDirectory === undefined ? context : { ...context, workingDirectory };
}

/** A reply that was cut off keeps no stream: calls that began early in it are void. */
function streamOf(outcome: CallOutcome): string {
  return outcome.type === 'reply' || outcome.type === 'interrupted' ? outcome.stream : '';
}

function pendingResult({ id, recordId }: ToolUse, outcome: ToolOutcome): Pending {
  const toolUse = { id, recordId };
  switch (outcome.type) {
    case 'done':
      return { type: 'tool_result', toolUse };
    case 'interrupted':
      return { type: 'tool_result', toolUse, lost: 'user_interrupted' };
    case 'sibling_error':
      return { type: 'tool_result', toolUse, lost: 'sibling_error' };
    case 'failed':
      return { type: 'tool_result', toolUse, lost: 'tool_failed' };
  }
}
