import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { everloop } from '../../src/agent';
import { defineAgent } from '../../src/agent/define-agent';
import { startScriptedModel, type ScriptedModel } from '../../src/scripted-model/scripted-model';
import type { Script } from '../../src/scripted-model/script';
import type { AnswerRef } from '../../src/workflows/agent-task';
import { noteTool } from '../agent/served';
import { installQuietRuntime } from '../support/quiet-runtime';
import { temporalAddress } from '../support/temporal';

export interface OrderActivities {
  publish(answer: AnswerRef): Promise<string>;
}

export interface Orders {
  readonly client: Client;
  readonly taskQueue: string;
  readonly model: ScriptedModel;
  readonly home: string;
}

/** A stock Worker of somebody's with Workflows and Activities of their own, and the plugin. */
export async function withOrders(
  { env = {}, ...script }: Script & { readonly env?: Readonly<Record<string, string>> },
  act: (orders: Orders) => Promise<void>,
): Promise<void> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-plugin-')));
  const model = await startScriptedModel({ isStrict: true, ...script });
  installQuietRuntime();
  const connection = await NativeConnection.connect({ address: temporalAddress() });
  const agents = everloop({
    agents: [defineAgent({ name: 'clerk', tools: [noteTool().tool] })],
    environment: {
      PATH: process.env['PATH'],
      HOME: home,
      EVERLOOP_HOME: home,
      ANTHROPIC_BASE_URL: model.url,
      ANTHROPIC_API_KEY: 'test-key',
      ...env,
    },
  });
  const activities: OrderActivities = {
    publish: async (answer) => (await agents.resultOf(answer)).result ?? '',
  };
  try {
    const taskQueue = `orders-${randomUUID()}`;
    const worker = await Worker.create({
      connection,
      taskQueue,
      workflowsPath: require.resolve('./workflows'),
      activities,
      plugins: [agents],
    });
    const client = new Client({ connection, plugins: [agents] });
    await worker.runUntil(act({ client, taskQueue, model, home }));
  } finally {
    // It is still held if the Worker could not run: that failure is the one to be seen.
    await connection.close().catch(() => undefined);
    await model.close();
    rmSync(home, { recursive: true, force: true });
  }
}
