import Anthropic from '@anthropic-ai/sdk';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import type { ByValueActivities, ByValueInput } from './interface';

/** A process: Worker and client of the loop by value, told what to do as all peers are. */
async function main(): Promise<void> {
  const { PROMPT, order, runTool, serve } = await import('../peers/program.mjs');
  const anthropic = new Anthropic({ baseURL: order.model, apiKey: 'bench', maxRetries: 0 });
  const activities: ByValueActivities = {
    callModel: (request) => anthropic.messages.create(request),
    callTool: runTool,
  };
  const { address } = order.temporal;
  const taskQueue = order.name;
  Runtime.install({ logger: new DefaultLogger('ERROR') });
  const worker = await Worker.create({
    connection: await NativeConnection.connect({ address }),
    taskQueue,
    workflowsPath: require.resolve('./workflow'),
    activities,
  });
  const client = new Client({ connection: await Connection.connect({ address }) });
  serve({
    async run({ id }) {
      const input: ByValueInput = { prompt: order.prompt, text: PROMPT };
      await client.workflow.start('byValueLoop', { workflowId: id, taskQueue, args: [input] });
      await client.workflow.getHandle(id).result();
    },
    // The server goes on by itself.
    resume: ({ id }) => client.workflow.getHandle(id).result(),
  });
  await worker.run();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
