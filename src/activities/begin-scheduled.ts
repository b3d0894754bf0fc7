import { realpathSync } from 'node:fs';
import { ApplicationFailure } from '@temporalio/common';
import { firedMessageId, firedSessionId } from '../schedule/fired-session';
import type { ScheduledPrompt, ScheduledPrompts } from '../schedule/scheduled-prompts';
import type { InboxMessage, RunOptions } from '../transcript/message';
import { messageSummary } from '../transcript/message-summary';
import { sessionWorkflowId } from '../transcript/place';
import { queryLimitsOf } from '../transcript/query-limits';
import type { FiredSession } from '../workflows/interface';
import type { TaskDeps } from './agent-task/begin-task';

export interface ScheduleDeps extends Pick<
  TaskDeps,
  'store' | 'fingerprint' | 'rolloverEvents' | 'maxToolConcurrency' | 'now'
> {
  readonly prompts: ScheduledPrompts;
  /** Absent: the server does not know our search attributes. */
  readonly attributes?: { readonly user: string };
  /** ms. */
  readonly idleMs: number;
  /** What a prompt with these flags runs with in the folder, as its settings are now. */
  optionsFor(flags: Partial<RunOptions>, cwd: string): Promise<RunOptions>;
}

/** Makes the session of one firing, with its prompt, and says how its Workflow is started. Repeating it changes
 *  nothing. Fails: `Schedule.Unknown`, `Schedule.BadFolder` (final). */
export async function beginScheduled(
  deps: ScheduleDeps,
  { runId, taskQueue }: { readonly runId: string; readonly taskQueue: string },
  name: string,
): Promise<FiredSession> {
  const { store, fingerprint, idleMs, rolloverEvents, maxToolConcurrency } = deps;
  const scheduled = await deps.prompts.find(name);
  if (scheduled === undefined) {
    throw final(
      'Schedule.Unknown',
      `The home of this Worker has no prompt for the schedule "${name}". Delete it, and create it again where the Worker runs: everloop schedule delete ${name}`,
    );
  }
  const cwd = folderOf(name, scheduled);
  const createdAt = deps.now().toISOString();
  const sessionId = firedSessionId(runId);
  const session =
    (await store.openSession(sessionId)) ??
    (await store.createSession({
      sessionId,
      cwd,
      taskQueue,
      createdAt,
      fingerprint,
      persistent: true,
    }));
  const options = await deps.optionsFor(scheduled.flags, cwd);
  const message: InboxMessage = {
    id: firedMessageId(runId),
    content: scheduled.prompt,
    submittedAt: createdAt,
    options: { ...options, opensSession: 'startup' },
  };
  await session.putMessage(message);
  const summary = messageSummary(message);
  return {
    sessionId,
    workflowId: sessionWorkflowId(store.place, sessionId),
    idleMs,
    rolloverEvents,
    ...(summary !== undefined && { summary }),
    request: {
      messageId: message.id,
      isLast: true,
      query: queryLimitsOf(message, { cwd, maxToolConcurrency, attributes: deps.attributes }),
    },
  };
}

function folderOf(name: string, { cwd }: ScheduledPrompt): string {
  try {
    return realpathSync(cwd);
  } catch (error) {
    throw final(
      'Schedule.BadFolder',
      `The folder of the schedule "${name}" cannot be used: ${String(error)}. Make it again, or delete the schedule: everloop schedule delete ${name}`,
    );
  }
}

const final = (type: string, message: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(message, type);
