import { homedir } from 'node:os';
import { createInterface } from 'node:readline';
import { armFailpoints } from '../failpoint/failpoint';
import { keepThreads } from '../temporal/shared-workflows';
import { bootWorkflowThread } from '../temporal/workflow-thread';
import type { RunningWorker } from '../worker';
import type { Serve, WorkerOrder } from './worker-order';

/** A Worker process of crash tests. It takes orders from stdin, one line of JSON each, answers each with a line when it
 *  is done, and leaves when its stdin ends. Argument: the crash script, whose agents it has. */
async function main([script = '']: readonly string[]): Promise<void> {
  bootWorkflowThread();
  // One that has replaced a killed Worker serves a second run.
  keepThreads();
  const serve = await prepare(script);
  let worker: Served | null = null;
  for await (const line of createInterface(process.stdin)) {
    const order = JSON.parse(line) as WorkerOrder;
    // What leaving does is no part of the next run.
    armFailpoints(order.type === 'serve' ? order.failpoints : null);
    await worker?.stop();
    worker = order.type === 'serve' ? await serve(order) : null;
    worker?.finished.catch(fail);
    process.stdout.write(`${order.type}\n`);
  }
  process.exit(0);
}

/** What the next order ends. */
type Served = Pick<RunningWorker, 'finished' | 'stop'>;

async function prepare(script: string): Promise<(order: Serve) => Promise<Served>> {
  const [
    { configuredAddress, connectSdk },
    { startWorker },
    { loadConfig },
    { openStore },
    { loadCrashScript },
  ] = await Promise.all([
    import('../temporal/sdk-connection.js'),
    import('../worker.js'),
    import('../config.js'),
    import('../open-store.js'),
    import('./crash-script.js'),
  ]);
  const [connected, { agents }] = await Promise.all([
    connectSdk(configuredAddress()),
    loadCrashScript(script),
  ]);
  return async ({ taskQueue, environment }) => {
    const config = loadConfig(environment, environment['HOME'] ?? homedir());
    const store = openStore(config);
    const worker = await startWorker({
      ...connected,
      config,
      taskQueue,
      agents,
      store,
      version: 'crash-test',
      settings: { cli: null },
      environment,
    });
    return {
      finished: worker.finished,
      async stop() {
        await worker.stop();
        await store.close();
      },
    };
  };
}

function fail(error: unknown): never {
  console.error(error);
  process.exit(1);
}

main(process.argv.slice(2)).catch(fail);
