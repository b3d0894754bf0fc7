// Needs: a Temporal server (started by the run).
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, bundleWorkflowCode } from '@temporalio/worker';
import { EarlyThreadWorker } from '../../src/temporal/early-thread-worker';
import { bootWorkflowThread, takeWorkflowThread } from '../../src/temporal/workflow-thread';
import { temporalAddress } from '../support/temporal';

const logger = new DefaultLogger('ERROR');

let folder: string;
let codePath: string;
let connection: NativeConnection;
let client: Client;
beforeAll(async () => {
  Runtime.install({ logger });
  folder = mkdtempSync(join(tmpdir(), 'everloop-thread-'));
  codePath = join(folder, 'bundle.js');
  const workflowsPath = require.resolve('../recovery/one-activity');
  const { code } = await bundleWorkflowCode({ workflowsPath, logger });
  writeFileSync(codePath, code);
  connection = await NativeConnection.connect({ address: temporalAddress() });
  client = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  rmSync(folder, { recursive: true });
});

async function runWorkflow(): Promise<unknown> {
  const taskQueue = randomUUID();
  const activities = { work: async () => 7 };
  const workflowBundle = { codePath };
  const worker = await EarlyThreadWorker.create({
    connection,
    taskQueue,
    workflowBundle,
    activities,
  });
  return worker.runUntil(
    client.workflow.execute('oneActivity', { taskQueue, workflowId: randomUUID() }),
  );
}

test('a Worker runs its Workflows in the thread that was booted for it', async () => {
  bootWorkflowThread();

  const result = await runWorkflow();

  expect(result).toEqual([7, 7]);
  expect(takeWorkflowThread()).toBeUndefined();
});

test('a Worker for which none was booted starts its own', async () => {
  expect(await runWorkflow()).toEqual([7, 7]);
});

test('the thread is booted once and given to one Worker', async () => {
  bootWorkflowThread();
  bootWorkflowThread();

  const thread = takeWorkflowThread();
  const next = takeWorkflowThread();
  await thread?.terminate();

  expect(thread).toBeDefined();
  expect(next).toBeUndefined();
});
