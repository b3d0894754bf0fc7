import { realpathSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { inspect } from 'node:util';
import { ApplicationFailure } from '@temporalio/common';
import { disk } from '../../disk/disk';
import { queryWorkflowId } from '../../loop/workflow-id';
import type { InboxMessage, RunOptions } from '../../transcript/message';
import { sessionWorkflowId } from '../../transcript/place';
import { queryLimitsOf } from '../../transcript/query-limits';
import type { Fingerprint, SessionStore, TranscriptStore } from '../../transcript/store';
import type { AgentTask, BegunTask } from '../../workflows/agent-task';
import { uuidOf } from '../uuid-of';

/** What tasks of Workflows need to become sessions. */
export interface TaskDeps {
  readonly store: TranscriptStore;
  readonly fingerprint: Fingerprint;
  /** Where sessions without a folder of their own get one. Absolute. */
  readonly workspaces: string;
  readonly rolloverEvents: number;
  readonly maxToolConcurrency: number;
  /** What a message runs with in that folder if it says nothing. */
  defaultOptions(cwd: string): Promise<RunOptions>;
  now(): Date;
}

/** Turns a task into a message of a session, and says how its query is started. Repeating it changes nothing. */
export async function beginTask(
  deps: TaskDeps,
  attempt: { readonly key: string; readonly taskQueue: string },
  task: AgentTask,
): Promise<BegunTask> {
  requirePrompt(task);
  const session = await findOrCreate(deps, attempt, task);
  const { cwd, sessionId } = session.meta;
  const defaults = await deps.defaultOptions(cwd);
  const message: InboxMessage = {
    id: uuidOf(`task ${attempt.key}`),
    content: [{ type: 'text', text: task.prompt }],
    submittedAt: deps.now().toISOString(),
    origin: 'workflow',
    options: {
      ...defaults,
      ...task.options,
      ...(task.agent !== undefined && { agent: task.agent }),
      opensSession: task.sessionId === undefined ? 'startup' : 'resume',
    },
  };
  await session.putMessage(message);
  const sessionRunsAs = sessionWorkflowId(deps.store.place, sessionId);
  const { maxToolConcurrency, rolloverEvents } = deps;
  return {
    sessionId,
    messageId: message.id,
    workflowId: queryWorkflowId(sessionRunsAs, message.id),
    input: {
      ...queryLimitsOf(message, { cwd, maxToolConcurrency }),
      messages: { leaf: null, pending: [{ type: 'message', messageId: message.id }] },
      sessionRunsAs,
      rolloverEvents,
      carry: null,
    },
  };
}

async function findOrCreate(
  deps: TaskDeps,
  { key, taskQueue }: { readonly key: string; readonly taskQueue: string },
  task: AgentTask,
): Promise<SessionStore> {
  const { store, fingerprint } = deps;
  if (task.sessionId !== undefined) return requireSession(deps, task.sessionId, taskQueue);
  const sessionId = uuidOf(`session ${key}`);
  const known = await store.openSession(sessionId);
  if (known !== undefined) return known;
  return store.createSession({
    sessionId,
    cwd: folderFor(deps, sessionId, task.cwd),
    taskQueue,
    createdAt: deps.now().toISOString(),
    fingerprint,
    persistent: true,
  });
}

async function requireSession(
  { store }: TaskDeps,
  sessionId: string,
  taskQueue: string,
): Promise<SessionStore> {
  const found = await store.openSession(sessionId);
  if (found === undefined) {
    throw final(
      'Session.Unknown',
      `There is no session ${sessionId} at ${store.place}. Leave sessionId out to begin a new one, or start the Worker with the EVERLOOP_HOME and CLAUDE_CONFIG_DIR that the session was made with.`,
    );
  }
  if (found.meta.taskQueue === taskQueue) return found;
  throw final(
    'Session.WrongQueue',
    `Session ${sessionId} belongs to Task Queue ${found.meta.taskQueue}, and the task came on ${taskQueue}. Give it there: runAgent(task, { taskQueue: "${found.meta.taskQueue}" }).`,
  );
}

function folderFor({ workspaces }: TaskDeps, sessionId: string, cwd: string | undefined): string {
  if (cwd === undefined) {
    const folder = join(workspaces, sessionId);
    disk.mkdirSync(folder, { recursive: true, mode: 0o700 });
    return realpathSync(folder);
  }
  const cure = 'Give an absolute path of a folder on the host of the Worker, or leave cwd out.';
  if (!isAbsolute(cwd)) throw final('Task.BadFolder', `cwd is "${cwd}". ${cure}`);
  try {
    return realpathSync(cwd);
  } catch (error) {
    throw final('Task.BadFolder', `cwd is "${cwd}": ${String(error)}. ${cure}`);
  }
}

/** It may come from any language. */
function requirePrompt({ prompt }: { readonly prompt: unknown }): void {
  if (typeof prompt === 'string' && prompt.trim() !== '') return;
  throw final(
    'Task.NoPrompt',
    `A task needs a prompt, got ${inspect(prompt).slice(0, 100)}. Say what the agent should do: { prompt: "..." }.`,
  );
}

const final = (type: string, message: string): ApplicationFailure =>
  ApplicationFailure.nonRetryable(message, type);
