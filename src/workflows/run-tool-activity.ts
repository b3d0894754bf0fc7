import {
  ActivityFailure,
  CancellationScope,
  isCancellation,
  proxyActivities,
} from '@temporalio/workflow';
import type { Activities, RunToolInput } from '../activities/interface';
import type { ToolCall } from '../loop/deps';
import type { ToolOutcome } from '../loop/outcomes';
import { RUN_TOOL } from './activity-options';
import { textOf } from './failure-text';
import type { QueryInput } from './interface';
import type { Verdict } from './open-questions';
import type { QueryMail } from './query-mail';
import { sleepFor } from './sleep-for';
import { toolSummary } from './tool-summary';
import { runSubAgent } from './sub-agent';

const { runTool } = proxyActivities<Activities>(RUN_TOOL);

/** One tool call as an Activity. A call that needs somebody's word waits here, for days if need be, and is then
 *  scheduled again. One that is not wanted any more is cancelled alone. */
export async function runToolActivity(
  call: ToolCall,
  mail: QueryMail,
  input: QueryInput,
): Promise<ToolOutcome> {
  const { unwanted } = call;
  try {
    if (unwanted === undefined) return await runToEnd(call, mail, input);
    return await CancellationScope.cancellable(async () => {
      const scope = CancellationScope.current();
      void unwanted.then(() => scope.cancel());
      return runToEnd(call, mail, input);
    });
  } catch (failure) {
    if (isCancellation(failure)) return { type: 'interrupted' };
    if (!(failure instanceof ActivityFailure)) throw failure;
    return { type: 'failed', message: textOf(failure) };
  }
}

type Way = Pick<RunToolInput, 'isAnswered' | 'decision' | 'granted' | 'isDelegated' | 'slept'>;

/** However it ends, nobody's word is awaited any more. */
async function runToEnd(call: ToolCall, mail: QueryMail, input: QueryInput): Promise<ToolOutcome> {
  const { recordId } = call.toolUse;
  mail.unfinished.add(recordId);
  mail.running.add(recordId);
  try {
    return await runUntilOutcome(call, mail, input);
  } finally {
    mail.unfinished.delete(recordId);
    mail.running.delete(recordId);
    mail.answeredEarly.delete(recordId);
    mail.questions.ended(recordId);
  }
}

/** Scheduled again with what it waited for, until it has an outcome of its own. */
async function runUntilOutcome(
  call: ToolCall,
  mail: QueryMail,
  input: QueryInput,
): Promise<ToolOutcome> {
  const { recordId } = call.toolUse;
  let way: Way = {};
  for (;;) {
    const outcome = await run(call, way, { input, mail });
    switch (outcome.type) {
      case 'ask':
        way = mail.answeredEarly.delete(recordId)
          ? { ...way, isAnswered: true }
          : { ...way, ...wayOf(await mail.questions.ask(call, outcome.facts)) };
        break;
      case 'delegate':
        await runSubAgent(outcome, call, { input, mail });
        way = { ...way, isDelegated: true };
        break;
      case 'sleep':
        way = { ...way, slept: await sleepFor(outcome, call, { input, mail }) };
        break;
      case 'done':
      case 'interrupted':
      case 'sibling_error':
      case 'failed':
        // Who says no to everything is heard once the no is on record.
        if (outcome.type === 'done' && outcome.interrupts === true) mail.stop('user');
        return outcome;
    }
  }
}

function wayOf(verdict: Verdict): Way {
  switch (verdict.type) {
    case 'in_store':
      return { isAnswered: true };
    case 'decided':
      return { isAnswered: true, decision: verdict.decision };
    case 'granted':
      return { granted: verdict.granted };
  }
}

function run(
  toolCall: ToolCall,
  way: Way,
  { input, mail }: { readonly input: QueryInput; readonly mail: QueryMail },
): ReturnType<Activities['runTool']> {
  const { id, recordId } = toolCall.toolUse;
  const { permissionMode: mode, workingDirectory } = toolCall.toolUseContext;
  const call = { id, recordId };
  const summary = toolSummary(toolCall, input);
  return mail.placement.place((where) =>
    runTool.executeWithOptions({ summary, ...where }, [{ call, mode, workingDirectory, ...way }]),
  );
}
