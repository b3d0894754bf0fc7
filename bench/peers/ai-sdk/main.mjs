import { fileURLToPath } from 'node:url';
import { createAnthropic } from '@ai-sdk/anthropic';
import { AiSdkPlugin } from '@temporalio/ai-sdk';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { PROMPT, order, runTool, serve } from '../program.mjs';

const { address } = order.temporal;
const taskQueue = order.name;
Runtime.install({ logger: new DefaultLogger('ERROR') });

const worker = await Worker.create({
  connection: await NativeConnection.connect({ address }),
  taskQueue,
  workflowsPath: fileURLToPath(new URL('./workflow.mjs', import.meta.url)),
  activities: { callTool: runTool },
  plugins: [
    new AiSdkPlugin({
      modelProvider: createAnthropic({ baseURL: `${order.model}/v1`, apiKey: 'bench' }),
    }),
  ],
});
worker.run().catch((error) => {
  console.error(error);
  process.exit(1);
});

const client = new Client({ connection: await Connection.connect({ address }) });
serve({
  async run({ id, calls }) {
    const args = [{ calls, prompt: order.prompt, text: PROMPT }];
    await client.workflow.start('agent', { workflowId: id, taskQueue, args });
    await client.workflow.getHandle(id).result();
  },
  // The server goes on by itself.
  resume: ({ id }) => client.workflow.getHandle(id).result(),
});
