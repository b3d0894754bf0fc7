import { homedir } from 'node:os';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { loadConfig } from '../../src/config';
import { openStore } from '../../src/open-store';
import { ServerConnection } from '../../src/mcp/server-connection';
import { startWorker } from '../../src/worker';
import { composeActivities } from '../../src/worker-activities';
import { installQuietRuntime } from './quiet-runtime';

/** A Worker process for tests that kill it. Configured by its environment, as a real one; says `up` on stdout when
 *  it polls. Arguments: Temporal address, Task Queue, file with the bundled Workflows, and of a command's process the
 *  Workflow of its session. */
async function main([
  address = '',
  taskQueue = '',
  codePath = '',
  serves,
]: string[]): Promise<void> {
  installQuietRuntime();
  const config = loadConfig(process.env, homedir());
  const connection = await NativeConnection.connect({ address });
  const worker = await startWorker({
    config,
    connection,
    client: new Client({ connection }),
    taskQueue,
    ...(serves !== undefined && { serves }),
    store: openStore(config),
    version: '0.0.0',
    settings: { cli: null },
    environment: { PATH: process.env['PATH'] },
    workflowBundle: { codePath },
    compose: composeActivities,
    connectServer: (options) => ServerConnection.open(options),
  });
  process.stdout.write('up\n');
  await worker.finished;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
