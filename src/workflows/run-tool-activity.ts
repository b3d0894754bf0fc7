import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import type { Activities, AskOutcome } from '../activities/interface';
import type { ToolCall } from '../loop/deps';
import type { ToolOutcome } from '../loop/outcomes';
import { RUN_TOOL } from './activity-options';
import { textOf } from './failure-text';
import type { QueryMail } from './query-mail';

const { runTool } = proxyActivities<Activities>(RUN_TOOL);

/** One tool call as an Activity. A call that needs somebody's word waits here, for days if need be, and is then
 *  scheduled again. One that is not wanted any more is cancelled alone. */
export async function runToolActivity(call: ToolCall, mail: QueryMail): Promise<ToolOutcome> {
  const { unwanted } = call;
  try {
    if (unwanted === undefined) return await runWithAnswer(call, mail);
    return await CancellationScope.cancellable(async () => {
      const scope = CancellationScope.current();
      void unwanted.then(() => scope.cancel());
      return runWithAnswer(call, mail);
    });
  } catch (failure) {
    if (isCancellation(failure)) return { type: 'interrupted' };
    if (!(failure instanceof ActivityFailure)) throw failure;
    return { type: 'failed', message: textOf(failure) };
  }
}

async function runWithAnswer(call: ToolCall, mail: QueryMail): Promise<ToolOutcome> {
  const { recordId } = call.toolUse;
  mail.running.add(recordId);
  const first = await run(call);
  mail.running.delete(recordId);
  if (first.type !== 'ask') return first;
  if (!mail.answeredEarly.delete(recordId)) await answerTo(call, mail);
  const second = await run(call, true);
  if (second.type === 'ask') return { type: 'failed', message: 'An answered call asked again.' };
  // Who says no to everything is heard once the no is on record.
  if (second.type === 'done' && second.interrupts === true) mail.stop('user');
  return second;
}

async function answerTo({ toolUse }: ToolCall, mail: QueryMail): Promise<void> {
  const { id, recordId, name, summary } = toolUse;
  try {
    const answered = new Promise<void>((resolve) => {
      mail.questions.set(recordId, {
        call: { id, recordId },
        name,
        summary,
        answered: () => resolve(),
      });
    });
    await Promise.race([answered, CancellationScope.current().cancelRequested]);
  } finally {
    mail.questions.delete(recordId);
  }
}

function run(
  { toolUse, toolUseContext, turnCount }: ToolCall,
  isAnswered = false,
): Promise<ToolOutcome | AskOutcome> {
  const summary = `turn ${turnCount} · ${toolUse.name} ${toolUse.summary}`.slice(0, 200);
  const { id, recordId } = toolUse;
  const { permissionMode: mode, workingDirectory } = toolUseContext;
  const call = { id, recordId };
  return runTool.executeWithOptions({ summary }, [
    { call, mode, workingDirectory, ...(isAnswered && { isAnswered }) },
  ]);
}
