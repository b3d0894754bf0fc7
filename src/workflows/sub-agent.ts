import {
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  WorkflowIdReusePolicy,
  executeChild,
  isCancellation,
  workflowInfo,
} from '@temporalio/workflow';
import type { DelegateOutcome } from '../activities/interface';
import { EMPTY_CONTEXT } from '../loop/context';
import type { ToolCall } from '../loop/deps';
import { cutLine } from '../redact/preview';
import type { Spent } from '../loop/tally';
import { queryWorkflowId, sessionWorkflowIdOf } from '../loop/workflow-id';
import type { QueryInput } from './interface';
import type { query } from './query';
import { queryLabels } from './query-labels';
import type { QueryMail } from './query-mail';

/** A sub-agent is a query like any other, one level deeper, with a conversation of its own. Resolves when it has
 *  ended, however that was: what it has to say lies in the store. */
export async function runSubAgent(
  { messageId, model, maxTurns }: DelegateOutcome,
  { toolUseContext, toolUse }: ToolCall,
  { input: parent, mail }: { readonly input: QueryInput; readonly mail: QueryMail },
): Promise<void> {
  const { chainId, depth } = toolUseContext.queryTracking;
  const { workflowId, taskTimeoutMs } = workflowInfo();
  const subAgent = queryWorkflowId(sessionWorkflowIdOf(workflowId), messageId);
  const { workspace } = mail.placement;
  const input: QueryInput = {
    messages: { leaf: EMPTY_CONTEXT, pending: [{ type: 'message', messageId }] },
    toolUseContext: { ...toolUseContext, model, queryTracking: { chainId, depth: depth + 1 } },
    maxTurns,
    maxOutputTokensOverride: null,
    maxToolConcurrency: parent.maxToolConcurrency,
    gates: parent.gates,
    view: { ...parent.view, summary: agentSummary(toolUse, parent) },
    sessionRunsAs: null,
    rolloverEvents: parent.rolloverEvents,
    ...(workspace && { workspace }),
    ...mail.subAgents.started(subAgent),
    carry: null,
  };
  let spent: Spent | null = null;
  try {
    const ended = await executeChild<typeof query>('query', {
      workflowId: subAgent,
      args: [input],
      ...queryLabels(input),
      workflowTaskTimeout: taskTimeoutMs,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
      workflowIdReusePolicy: WorkflowIdReusePolicy.REJECT_DUPLICATE,
    });
    // null: a Worker of an older build ran it.
    spent = 'spent' in ended ? (ended.spent ?? null) : null;
  } catch (failure) {
    // It ran to its end in an earlier run, or was terminated: its report says so, or its absence.
    if (isCancellation(failure)) throw failure;
  } finally {
    mail.subAgents.ended(subAgent, spent);
  }
}

const agentSummary = ({ summary }: ToolCall['toolUse'], { view }: QueryInput): string =>
  view?.detail === undefined ? cutLine(`agent · ${summary}`) : 'agent';
