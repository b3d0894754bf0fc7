import type { ToolUse } from '../loop/context';
import type { ToolOutcome } from '../loop/outcomes';
import type { AssistantMessage, ToolResultMessage } from './message';
import { isToolCall } from './message-kind';
import { leafOf, tell, type Run } from './run';
import { createToolCall, type FinishedCall, type ToolCallRun } from './tool-call';

/** The calls of one reply. */
export interface ToolBatch {
  readonly toolUses: readonly ToolUse[];
  run(toolUse: ToolUse): Promise<ToolOutcome>;
  /** When every call has its result: the results in the order of the calls, each told. */
  end(): Promise<{ message: AssistantMessage; toolResults: ToolResultMessage[] }>;
}

/** What there is before the first reply. */
export const NO_CALLS: ToolBatch = {
  toolUses: [],
  run: () => Promise.reject(new Error('A call was run before the reply that makes it.')),
  end: () => Promise.reject(new Error('A turn ended before its reply.')),
};

export function createToolBatch(run: Run, message: AssistantMessage): ToolBatch {
  const calls = message.content.filter(isToolCall);
  const runs = calls.map((call) => createToolCall(run, message, call));
  const isSequential =
    message.stopReason === 'length' ||
    run.config.toolExecution === 'sequential' ||
    runs.some(({ tool }) => tool?.executionMode === 'sequential');
  const toolUses = calls.map(({ id, name }, index) => ({
    id,
    recordId: `${leafOf(run)}.${index}`,
    name,
    isConcurrencySafe: !isSequential,
    summary: '',
  }));
  const toolResults: ToolResultMessage[] = [];
  const toldOne = async (finished: FinishedCall): Promise<FinishedCall> => {
    toolResults.push(finished.message);
    await tell(run.emit, finished.message);
    return finished;
  };

  const runInTurn = async (one: ToolCallRun): Promise<FinishedCall> => {
    await one.prepare();
    return toldOne(await one.execute());
  };

  // The first call that the loop starts prepares them all: none runs before the last one is prepared.
  let prepared: Promise<void> | null = null;
  const runAtOnce = async (one: ToolCallRun): Promise<FinishedCall> => {
    await (prepared ??= prepareAll(runs));
    return one.execute();
  };

  return {
    toolUses,
    async run(toolUse) {
      const one = runs[toolUses.findIndex(({ recordId }) => recordId === toolUse.recordId)];
      if (one === undefined) throw new Error(`The reply has no call ${toolUse.id}.`);
      const { isError, terminate } = await (isSequential ? runInTurn(one) : runAtOnce(one));
      return { type: 'done', isError, ...(terminate && { terminate }) };
    },
    async end() {
      if (!isSequential) for (const one of runs) await toldOne(await one.execute());
      return { message, toolResults };
    },
  };
}

async function prepareAll(runs: readonly ToolCallRun[]): Promise<void> {
  for (const one of runs) await one.prepare();
}
