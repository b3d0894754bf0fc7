import { setTimeout as delay } from 'node:timers/promises';
import { isGrpcServiceError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { disk } from '../disk/disk';
import { betweenFailpoints } from '../failpoint/failpoint';
import { sessionWorkflowIdOf } from '../loop/workflow-id';
import type { Liveness } from './liveness';
import { isStopped } from './presence';
import { readRunNotes, type LeftNotes } from './run-notes';
import { identityOf } from './worker-identity';

/** What a rescue did. */
export interface Rescued {
  readonly attempts: number;
  readonly workflows: number;
}

/** Gives up at once what dead Workers of this home were doing: their attempts fail and are retried in a
 *  millisecond instead of at the heartbeat timeout, and their Workflows stop waiting for the dead Worker's
 *  sticky queue (the hidden half of every recovery: 10 s by default). Failing an attempt twice is harmless. */
export async function rescueOrphans(options: {
  readonly client: Client;
  readonly home: string;
  readonly isAlive: Liveness;
}): Promise<Rescued> {
  const left = readRunNotes(options.home);
  const living = await Promise.all(left.map(({ owner }) => options.isAlive(owner)));
  const dead = left.filter((_notes, index) => living[index] === false);
  await Promise.all(dead.map((notes) => rescue(options.client, notes)));
  for (const notes of dead) void rescueAgain(options, notes);
  return {
    attempts: dead.reduce((sum, { attempts }) => sum + attempts.length, 0),
    workflows: dead.reduce((sum, { workflowIds }) => sum + workflowIds.length, 0),
  };
}

/** What the server was not told of stays noted: a server that is away comes back. */
async function rescue(client: Client, notes: LeftNotes): Promise<void> {
  const { attempts, workflowIds, file } = notes;
  const sessions = workflowIds.map(sessionWorkflowIdOf);
  await Promise.all(attempts.map(({ token }) => failAttempt(client, token)));
  const answered = await Promise.all(
    [...new Set([...workflowIds, ...sessions])].map((id) => resetStickiness(client, id)),
  );
  await failHanded(client, notes);
  if (answered.every(Boolean)) disk.rmSync(file, { force: true });
}

/** A process that is stopped keeps its connection, and is handed tasks until the server has missed it: it asks after
 *  2 s and waits for 3 s (`src/server/server-command.ts`). */
const MISSED_AFTER_MS = 5_000;

const LOOK_AGAIN_MS = 500;

/** Never fails. */
async function rescueAgain(
  { client, isAlive }: { readonly client: Client; readonly isAlive: Liveness },
  notes: LeftNotes,
): Promise<void> {
  const deadline = performance.now() + MISSED_AFTER_MS;
  const isAsleep = async (): Promise<boolean> =>
    (await isStopped(notes.owner)) && !(await isAlive(notes.owner));
  while (performance.now() < deadline && (await isAsleep())) {
    await failHanded(client, notes);
    await delay(LOOK_AGAIN_MS, undefined, { ref: false });
  }
}

/** Attempts that were handed to a dead Worker and that it had no time to note: else they would wait for their
 *  heartbeat timeout. They have no token here, only the Worker's name. Never fails. */
async function failHanded(client: Client, { owner, workflowIds }: LeftNotes): Promise<void> {
  const identity = identityOf(owner);
  const failed = workflowIds.map(async (workflowId) => {
    const { runId, raw } = await client.workflow.getHandle(workflowId).describe();
    for (const { activityId, state, lastWorkerIdentity } of raw.pendingActivities ?? []) {
      if (state !== STARTED || lastWorkerIdentity !== identity || activityId == null) continue;
      await client.activity.fail({ workflowId, runId, activityId }, workerLost());
    }
  });
  await Promise.allSettled(failed);
}

const STARTED = temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED;

const workerLost = (): ApplicationFailure =>
  ApplicationFailure.create({
    type: 'Worker.Lost',
    message: 'The Worker that ran this attempt is gone.',
    nextRetryDelay: '1ms',
  });

/** Whatever the server answers is fine: the attempt may have timed out or been reported already. */
async function failAttempt(client: Client, token: string): Promise<void> {
  const taskToken = new Uint8Array(Buffer.from(token, 'base64'));
  await betweenFailpoints('rpc.fail_attempt', () =>
    client.activity.fail(taskToken, workerLost()),
  ).catch(() => undefined);
}

/** false: no server answered. */
async function resetStickiness(client: Client, workflowId: string): Promise<boolean> {
  const { namespace } = client.options;
  try {
    await betweenFailpoints('rpc.reset_sticky', () =>
      client.workflowService.resetStickyTaskQueue({ namespace, execution: { workflowId } }),
    );
    return true;
  } catch (error) {
    return isGrpcServiceError(error) && !UNANSWERED.has(error.code);
  }
}

/** gRPC codes of calls that found nobody: CANCELLED, UNKNOWN, DEADLINE_EXCEEDED, UNAVAILABLE. */
const UNANSWERED: ReadonlySet<number> = new Set([1, 2, 4, 14]);
