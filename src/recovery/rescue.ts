import { isGrpcServiceError, type Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { disk } from '../disk/disk';
import { betweenFailpoints } from '../failpoint/failpoint';
import { sessionWorkflowIdOf } from '../loop/workflow-id';
import type { LeaseOwner } from '../transcript/store';
import { readRunNotes, type LeftNotes } from './run-notes';

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
  isAlive(owner: LeaseOwner): Promise<boolean>;
}): Promise<Rescued> {
  const left = readRunNotes(options.home);
  const living = await Promise.all(left.map(({ owner }) => options.isAlive(owner)));
  const dead = left.filter((_notes, index) => living[index] === false);
  await Promise.all(dead.map((notes) => rescue(options.client, notes)));
  return {
    attempts: dead.reduce((sum, { attempts }) => sum + attempts.length, 0),
    workflows: dead.reduce((sum, { workflowIds }) => sum + workflowIds.length, 0),
  };
}

/** What the server was not told of stays noted: a server that is away comes back. */
async function rescue(client: Client, { attempts, workflowIds, file }: LeftNotes): Promise<void> {
  const sessions = workflowIds.map(sessionWorkflowIdOf);
  await Promise.all(attempts.map(({ token }) => failAttempt(client, token)));
  const answered = await Promise.all(
    [...new Set([...workflowIds, ...sessions])].map((id) => resetStickiness(client, id)),
  );
  if (answered.every(Boolean)) disk.rmSync(file, { force: true });
}

/** Whatever the server answers is fine: the attempt may have timed out or been reported already. */
async function failAttempt(client: Client, token: string): Promise<void> {
  const failure = ApplicationFailure.create({
    type: 'Worker.Lost',
    message: 'The Worker that ran this attempt is gone.',
    nextRetryDelay: '1ms',
  });
  const taskToken = new Uint8Array(Buffer.from(token, 'base64'));
  await betweenFailpoints('rpc.fail_attempt', () => client.activity.fail(taskToken, failure)).catch(
    () => undefined,
  );
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
