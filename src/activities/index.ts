import { activityInfo } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { RunNotes } from '../recovery/run-notes';
import { toSentOutcome } from '../loop/sent-outcome';
import { beginTask, type TaskDeps } from './agent-task/begin-task';
import { reportTask } from './agent-task/report-task';
import type { Attempt } from './attempt';
import { beginScheduled, type ScheduleDeps } from './begin-scheduled';
import { endTurn } from './agent-hooks/end-turn';
import { callModel } from './call-model/call-model';
import { compact } from './compact/compact';
import type { ActivityDeps } from './deps';
import { drainCollapses } from './drain-collapses';
import { finishQuery } from './finish-query/finish-query';
import { endSessionShells } from './end-session-shells';
import type { Activities } from './interface';
import { lookAtFolder, type LookDeps } from './look-at-folder';
import { runTool } from './run-tool/run-tool';
import { runStopHooks } from './stop-hooks/run-stop-hooks';
import { summarizeToolUse } from './summarize-tool-use';
import { asTemporalAttempt } from './temporal-attempt';
import { verifyApproval } from './verify-approval';

/** What the Worker registers. */
export function createActivities(
  deps: ActivityDeps,
  temporal: { readonly client: Client; readonly notes: RunNotes },
  tasks: TaskDeps & ScheduleDeps & LookDeps,
): Activities {
  const { spans } = deps;
  return {
    callModel: (input) =>
      asTemporalAttempt(temporal, async (attempt) => {
        const work = (traced: Attempt) => callModel(deps, traced, input);
        const outcome = await (spans?.chat(attempt, input.model, work) ?? work(attempt));
        return toSentOutcome(deps.ownPrices?.priced(outcome) ?? outcome, input.model);
      }),
    runTool: (input) =>
      asTemporalAttempt(temporal, (attempt) => {
        const work = (traced: Attempt) => runTool(deps, traced, input);
        return spans?.tool(attempt, input.call, work) ?? work(attempt);
      }),
    compact: (input) =>
      asTemporalAttempt(temporal, (attempt) => {
        const work = (traced: Attempt) => compact(deps, traced, input);
        return spans?.compact(attempt, input.model, work) ?? work(attempt);
      }),
    drainCollapses: (messages) =>
      asTemporalAttempt(temporal, (attempt) => drainCollapses(deps, attempt, messages)),
    runStopHooks: (input) =>
      asTemporalAttempt(temporal, (attempt) => runStopHooks(deps, attempt, input)),
    endTurn: (input) => asTemporalAttempt(temporal, (attempt) => endTurn(deps, attempt, input)),
    summarizeToolUse: (input) =>
      asTemporalAttempt(temporal, (attempt) => summarizeToolUse(deps, attempt, input)),
    verifyApproval: (input) =>
      asTemporalAttempt(temporal, (attempt) => verifyApproval(deps, attempt, input)),
    finishQuery: (input) =>
      asTemporalAttempt(temporal, async (attempt) => {
        const finished = await finishQuery(deps, attempt, input);
        await spans?.ended(attempt, input);
        return finished;
      }),
    endShells: () => asTemporalAttempt(temporal, (attempt) => endSessionShells(deps, attempt)),
    beginTask(task) {
      const { taskQueue } = activityInfo();
      return asTemporalAttempt(temporal, ({ key }) => beginTask(tasks, { key, taskQueue }, task));
    },
    beginScheduled(name) {
      const { taskQueue } = activityInfo();
      return asTemporalAttempt(temporal, ({ runId }) =>
        beginScheduled(tasks, { runId, taskQueue }, name),
      );
    },
    // Of no session's: it needs no lease, and nobody waits for it who would miss its heartbeats.
    lookAtFolder: (sessionId) => lookAtFolder(tasks, sessionId),
    reportTask: (answer) => asTemporalAttempt(temporal, () => reportTask(tasks.store, answer)),
  };
}
