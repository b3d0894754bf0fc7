import { randomUUID } from 'node:crypto';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { clockMs } from '../clock';
import type {
  BaselineActivities,
  BaselineMessage,
  BaselineOrder,
  BaselineRequests,
} from './interface';

let requests: BaselineRequests['requests'] = null;
let body = Buffer.alloc(0);

const activities: BaselineActivities = {
  async ask({ turn }) {
    tell({ type: 'asked', atMs: clockMs() });
    const size = requests?.bodyBytes[turn - 1];
    if (requests !== null && size !== undefined) {
      const response = await fetch(`${requests.url}/v1/messages`, {
        method: 'POST',
        body: body.subarray(0, size),
      });
      await response.text();
    }
    return { head: randomUUID(), calls: [`toolu_bench_${turn}`] };
  },
  act: () => Promise.resolve({ head: randomUUID() }),
};

/** A process: the Worker of the empty loop, until its parent leaves. */
async function main({ address, taskQueue, bundle }: BaselineOrder): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: { codePath: bundle },
    activities,
  });
  const running = worker.run();
  tell({ type: 'polling' });
  await running;
}

function tell(message: BaselineMessage): void {
  process.send?.(message);
}

process.once('disconnect', () => process.exit(0));
process.on('message', (message: BaselineOrder | BaselineRequests) => {
  if ('requests' in message) {
    ({ requests } = message);
    body = Buffer.alloc(Math.max(0, ...(requests?.bodyBytes ?? [])), 'x');
    tell({ type: 'ready' });
  } else {
    main(message).catch((error: unknown) => {
      console.error(error);
      process.exit(1);
    });
  }
});
