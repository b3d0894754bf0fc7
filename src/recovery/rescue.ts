import { rmSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
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

async function rescue(client: Client, { attempts, workflowIds, file }: LeftNotes): Promise<void> {
  const sessions = workflowIds.map(sessionWorkflowIdOf);
  await Promise.all([
    ...attempts.map(({ token }) => failAttempt(client, token)),
    ...[...new Set([...workflowIds, ...sessions])].map((workflowId) =>
      resetStickiness(client, workflowId),
    ),
  ]);
  rmSync(file, { force: true });
}

/** Whatever the server answers is fine: the attempt may have timed out or been reported already. */
async function failAttempt(client: Client, token: string): Promise<void> {
  const failure = ApplicationFailure.create({
    type: 'Worker.Lost',
    message: 'The Worker that ran this attempt is gone.',
    nextRetryDelay: '1ms',
  });
  await client.activity
    .fail(new Uint8Array(Buffer.from(token, 'base64')), failure)
    .catch(() => undefined);
}

async function resetStickiness(client: Client, workflowId: string): Promise<void> {
  const { namespace } = client.options;
  await client.workflowService
    .resetStickyTaskQueue({ namespace, execution: { workflowId } })
    .catch(() => undefined);
}
