import { randomUUID } from 'node:crypto';
import { NativeConnection } from '@temporalio/worker';
import { Adoption } from '../../src/adoption/adoption';
import { isAlive } from '../../src/recovery/presence';
import type { Fingerprint } from '../../src/transcript/store';
import { startWorker } from '../../src/worker';
import { composeActivities } from '../../src/worker-activities';
import type { Durable } from './durable';
import { workflowBundle } from './workflow-bundle';

export interface BackgroundWorker {
  readonly workerId: string;
  /** What it complained of. */
  readonly warnings: readonly string[];
  stop(): Promise<void>;
}

/** A background Worker of this process for the home of a session that has its own Task Queue. */
export async function startBackground(
  { config, client, store, address }: Durable,
  fingerprint: Fingerprint = { baseUrl: config.baseUrl, credentials: 'api_key' },
): Promise<BackgroundWorker> {
  const connection = await NativeConnection.connect({ address });
  const warnings: string[] = [];
  let adoption: Adoption | null = null;
  const look = (): void => void adoption?.look();
  const worker = await startWorker({
    config,
    connection,
    client,
    taskQueue: `background-${randomUUID()}`,
    store,
    version: '0.0.0',
    settings: { cli: null },
    environment: { PATH: process.env['PATH'] },
    workflowBundle: { codePath: await workflowBundle() },
    compose: composeActivities,
    onLoss: look,
    onServedElsewhere: look,
  });
  adoption = new Adoption({
    client,
    store,
    candidate: { fingerprint, hostParts: [] },
    worker,
    isAlive,
    isAnswered: async () => true,
    onClosed: async () => undefined,
    warn: (text) => warnings.push(text),
  });
  await adoption.look();
  return {
    workerId: worker.owner.workerId,
    warnings,
    async stop() {
      await adoption.stop();
      await worker.stop();
      await connection.close();
    },
  };
}
