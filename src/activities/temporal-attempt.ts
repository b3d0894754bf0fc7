import { Context } from '@temporalio/activity';
import { ApplicationFailure, WorkflowNotFoundError } from '@temporalio/common';
import type { Client } from '@temporalio/client';
import { betweenFailpoints } from '../failpoint/failpoint';
import type { RunNotes } from '../recovery/run-notes';
import { isRunning } from '../temporal/is-running';
import type { QueryEnded, ToolReady } from '../workflows/interface';
import type { Attempt } from './attempt';
import { limitFailure } from './limit-failure';
import { requireSmallResult } from './limit-result';
import { ShownProgress } from './shown-progress';

/** Half of the shortest heartbeat timeout would do; this often, an interrupt is heard of in a third of a second. */
const HEARTBEAT_MS = 300;

/** Runs an Activity body as one attempt of a Temporal Activity: heartbeats on a timer (cancellation comes in
 *  their answers) and the reasons for a cancellation told apart (DESIGN §5). */
export async function asTemporalAttempt<Result>(
  { client, notes }: { readonly client: Client; readonly notes: RunNotes },
  body: (attempt: Attempt) => Promise<Result>,
): Promise<Result> {
  // Taken before the first await: outside the Activity's async context there is no current one.
  const context = Context.current();
  const { info, cancellationSignal } = context;
  const stop = new AbortController();
  const over = new AbortController();
  const forgotten = new AbortController();
  const onCancel = (): void => {
    const details = context.cancellationDetails;
    const reason: unknown = cancellationSignal.reason;
    if (details?.cancelRequested === true) stop.abort(reason);
    else if (details?.notFound !== true) over.abort(reason);
    // A Worker that was stopped wakes up late: what it ran may be another attempt's by now, and go on.
    else
      void isPending(client, info).then((isOthers) => (isOthers ? over : forgotten).abort(reason));
  };
  if (cancellationSignal.aborted) onCancel();
  else cancellationSignal.addEventListener('abort', onCancel, { once: true });

  const { workflowId, runId } = requireWorkflow(info.workflowExecution);
  const shown = new ShownProgress();
  const attempt: Attempt = {
    workflowId,
    runId,
    activityId: info.activityId,
    number: info.attempt,
    key: `${runId}:${info.activityId}`,
    stop: stop.signal,
    over: over.signal,
    forgotten: forgotten.signal,
    report: (doing) => shown.report(doing),
    signalToolReady: (ready: ToolReady) =>
      betweenFailpoints('rpc.tool_ready', () =>
        client.workflow.getHandle(workflowId, runId).signal('toolReady', ready),
      ),
    isQueryRunning: (queryWorkflowId: string) => isRunning(client, queryWorkflowId),
    signalQueryEnded: (sessionWorkflowId: string, ended: QueryEnded) =>
      betweenFailpoints('rpc.query_ended', () =>
        signalUnlessGone(client, sessionWorkflowId, ended),
      ),
  };
  const forget = notes.noteAttempt({ token: info.base64TaskToken, workflowId, runId });
  // Not at once: most attempts are over before the first beat, which would cost each a call to the server.
  const beat = setInterval(() => context.heartbeat(shown.details()), HEARTBEAT_MS);
  try {
    return requireSmallResult(await body(attempt));
  } catch (error) {
    // Whatever the abort made of itself on its way up: Temporal must see its own reason.
    if (over.signal.aborted || forgotten.signal.aborted) throw cancellationSignal.reason;
    throw limitFailure(error);
  } finally {
    clearInterval(beat);
    forget();
    cancellationSignal.removeEventListener('abort', onCancel);
  }
}

function requireWorkflow(
  execution: { readonly workflowId: string; readonly runId: string } | undefined,
): { readonly workflowId: string; readonly runId: string } {
  if (execution !== undefined) return execution;
  throw ApplicationFailure.nonRetryable(
    'everloop Activities belong to a Workflow: they read session and prompt from its id.',
    'Config.NoWorkflow',
  );
}

/** Whether the Activity still has to be done, so that another attempt does it. Never fails. */
async function isPending(
  client: Client,
  { workflowExecution, activityId }: Context['info'],
): Promise<boolean> {
  const { workflowId, runId } = requireWorkflow(workflowExecution);
  try {
    const { status, raw } = await client.workflow.getHandle(workflowId, runId).describe();
    const pending = raw.pendingActivities ?? [];
    return status.name === 'RUNNING' && pending.some((one) => one.activityId === activityId);
  } catch (error) {
    // Nobody knows: what was begun is left alone.
    return !(error instanceof WorkflowNotFoundError);
  }
}

async function signalUnlessGone(
  client: Client,
  workflowId: string,
  ended: QueryEnded,
): Promise<void> {
  try {
    // No run id: the session may have rolled over since it started this query.
    await client.workflow.getHandle(workflowId).signal('queryEnded', ended);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}
