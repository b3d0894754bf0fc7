// A Worker that starts an Activity and is killed in the middle of it.
// Arguments: server address, home folder, Task Queue, workflow bundle.
import { Context } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { asTemporalAttempt } from '../../src/activities/temporal-attempt';
import { announce } from '../../src/recovery/presence';
import { createRunNotes } from '../../src/recovery/run-notes';

async function main(): Promise<void> {
  const [address = '', home = '', taskQueue = '', codePath = ''] = process.argv.slice(2);
  const connection = await NativeConnection.connect({ address });
  const client = new Client({ connection });
  const { owner } = await announce();
  const notes = createRunNotes(home, owner);
  const work = () =>
    asTemporalAttempt({ client, notes }, async () => {
      process.stdout.write(`attempt ${Context.current().info.attempt}\n`);
      return new Promise<number>(() => undefined);
    });
  const worker = await Worker.create({
    connection,
    taskQueue,
    workflowBundle: { codePath },
    activities: { work },
  });
  await worker.run();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
