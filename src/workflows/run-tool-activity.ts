import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import type { Activities } from '../activities/interface';
import type { ToolCall } from '../loop/deps';
import type { ToolOutcome } from '../loop/outcomes';
import { RUN_TOOL } from './activity-options';
import { textOf } from './failure-text';

const { runTool } = proxyActivities<Activities>(RUN_TOOL);

/** One tool call as an Activity. A call that is not wanted any more is cancelled alone. */
export async function runToolActivity(call: ToolCall): Promise<ToolOutcome> {
  const { unwanted } = call;
  try {
    if (unwanted === undefined) return await run(call);
    return await CancellationScope.cancellable(async () => {
      const scope = CancellationScope.current();
      void unwanted.then(() => scope.cancel());
      return run(call);
    });
  } catch (failure) {
    if (isCancellation(failure)) return { type: 'interrupted' };
    if (!(failure instanceof ActivityFailure)) throw failure;
    return { type: 'failed', message: textOf(failure) };
  }
}

function run({ toolUse, toolUseContext, turnCount }: ToolCall): Promise<ToolOutcome> {
  const summary = `turn ${turnCount} · ${toolUse.name} ${toolUse.summary}`.slice(0, 200);
  const { id, recordId } = toolUse;
  const { permissionMode: mode, workingDirectory } = toolUseContext;
  return runTool.executeWithOptions({ summary }, [
    { call: { id, recordId }, mode, workingDirectory },
  ]);
}
