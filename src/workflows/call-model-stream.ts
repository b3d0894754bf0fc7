import { ActivityFailure, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities, CallModelInput } from '../activities/interface';
import type { ModelEvent, ModelRequest } from '../loop/deps';
import type { ToolUse } from '../loop/context';
import type { ModelOutcome } from '../loop/outcomes';
import type { ToolUseContext } from '../loop/state';
import { fromSentOutcome } from '../loop/sent-outcome';
import { CALL_MODEL } from './activity-options';
import { textOf } from './failure-text';
import type { QueryInput } from './interface';
import type { QueryMail } from './query-mail';

const { callModel } = proxyActivities<Activities>(CALL_MODEL);

/** One `callModel` Activity as a stream: early calls as they are signalled, then the outcome. */
export async function* callModelStream(
  request: ModelRequest,
  input: QueryInput,
  mail: QueryMail,
): AsyncGenerator<ModelEvent, ModelOutcome> {
  mail.ready = [];
  mail.unfinished.clear();
  mail.answeredEarly.clear();
  mail.isSampling = true;
  const activity = callModelActivity(request, input, mail);
  for (;;) {
    // Raw promises, not `condition`: in a cancelled scope the Activity must still be waited for.
    const woken = new Promise<undefined>((resolve) => {
      mail.onReady = () => resolve(undefined);
    });
    const ready = mail.ready;
    mail.ready = [];
    for (const { stream, toolUse } of ready) yield { type: 'tool_ready', stream, toolUse };
    const came = await Promise.race([activity, woken]);
    if (came === undefined) continue;
    mail.isSampling = false;
    for (const { recordId } of toolUsesIn(came)) mail.unfinished.add(recordId);
    return came;
  }
}

const toolUsesIn = (outcome: ModelOutcome): readonly ToolUse[] =>
  'toolUses' in outcome ? outcome.toolUses : [];

/** What has changed since the query began: the Activity knows the rest. */
function movedFrom(
  begun: ToolUseContext,
  { permissionMode, workingDirectory }: ToolUseContext,
): Pick<CallModelInput, 'toolUseContext'> {
  const hasMode = permissionMode !== begun.permissionMode;
  const hasMoved = workingDirectory !== begun.workingDirectory;
  if (!hasMode && !hasMoved) return {};
  return {
    toolUseContext: {
      ...(hasMode && { mode: permissionMode }),
      ...(hasMoved && { workingDirectory }),
    },
  };
}

async function callModelActivity(
  request: ModelRequest,
  input: QueryInput,
  { placement }: QueryMail,
): Promise<ModelOutcome> {
  const { messages, toolUseContext, turnCount, maxOutputTokensOverride, room, taskBudget } =
    request;
  const { model } = toolUseContext;
  try {
    const summary = `turn ${turnCount} · model`;
    const sent = await placement.place((where) =>
      callModel.executeWithOptions({ summary, ...where }, [
        {
          messages,
          model,
          turn: turnCount,
          ...(maxOutputTokensOverride !== null && { maxOutputTokens: maxOutputTokensOverride }),
          early: input.gates.streamingToolExecution,
          ...movedFrom(input.toolUseContext, toolUseContext),
          ...(room !== 'compact' && { room }),
          ...(taskBudget !== undefined && { taskBudget }),
        },
      ]),
    );
    return fromSentOutcome(sent, model);
  } catch (failure) {
    // Cancelled before it started: nothing of the request was chained yet.
    if (isCancellation(failure)) return { type: 'interrupted', messages, stream: '', toolUses: [] };
    if (!(failure instanceof ActivityFailure)) throw failure;
    return { type: 'failed', messages, message: textOf(failure) };
  }
}
