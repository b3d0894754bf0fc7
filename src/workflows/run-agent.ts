import {
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  WorkflowIdReusePolicy,
  executeChild,
  proxyActivities,
} from '@temporalio/workflow';
import type { Activities } from '../activities/interface';
import { BEGIN_TASK, REPORT_TASK } from './activity-options';
import { queryLabels } from './query-labels';
import type { AgentAnswer, AgentTask } from './agent-task';
import type { query } from './query';

export type { AgentAnswer, AgentTask, AnswerRef } from './agent-task';

/** A task that dies with its Worker is given to another one after this long. They take milliseconds. */
const TASK_TIMEOUT = '3s';

/** For `executeChild<QueryWorkflow>('query', { args: [task] })`. */
export type QueryWorkflow = (task: AgentTask) => Promise<AgentAnswer>;

/** Has an agent do something, as one durable step of a Workflow. The agent's own steps are a child Workflow; what it
 *  answers lies in the transcript store, and a preview of it comes back.
 *  `taskQueue`: where Workers with everloop listen. Omitted: the Workflow's own, whose Worker has the plugin.
 *  Fails: CancelledFailure when the Workflow is cancelled, after the agent has stopped; ActivityFailure
 *  (`Session.Unknown`, `Session.WrongQueue`, `Task.BadFolder`) when it cannot begin; ChildWorkflowFailure when
 *  somebody terminated the agent. An agent that gives up is no failure: `isError`. */
export async function runAgent(
  task: AgentTask,
  { taskQueue }: { readonly taskQueue?: string } = {},
): Promise<AgentAnswer> {
  const queue = taskQueue === undefined ? {} : { taskQueue };
  const { beginTask } = proxyActivities<Activities>({ ...BEGIN_TASK, ...queue });
  const { reportTask } = proxyActivities<Activities>({ ...REPORT_TASK, ...queue });
  const { workflowId, input, sessionId, messageId } = await beginTask.executeWithOptions(
    { summary: 'task · begin' },
    [task],
  );
  await executeChild<typeof query>('query', {
    ...queue,
    workflowId,
    args: [input],
    ...queryLabels(input),
    workflowTaskTimeout: TASK_TIMEOUT,
    cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
    parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
    workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
  });
  return reportTask.executeWithOptions({ summary: 'task · report' }, [{ sessionId, messageId }]);
}
