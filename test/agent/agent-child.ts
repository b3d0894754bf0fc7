import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { createWorker } from '../../src/agent/create-worker';
import { installQuietRuntime } from '../support/quiet-runtime';
import { agentWith, noteTool } from './served';

/** A program with an agent, to be killed. Its follow-ups lie in the session's folder as `queue`, a line each, and are
 *  gone once they are taken; before it takes them it says `asked` there and waits for `go`. Says `up` on stdout when
 *  it polls. Arguments: Temporal address, Task Queue, file with the bundled Workflows. */
async function main([address = '', taskQueue = '', codePath = '']: string[]): Promise<void> {
  installQuietRuntime();
  const connection = await NativeConnection.connect({ address });
  const agent = agentWith(
    {
      async getFollowUpMessages({ cwd }) {
        const file = (name: string): string => join(cwd, name);
        writeFileSync(file('asked'), '');
        while (!existsSync(file('go'))) await delay(20);
        if (!existsSync(file('queue'))) return [];
        const lines = readFileSync(file('queue'), 'utf8').trim().split('\n');
        rmSync(file('queue'));
        return lines;
      },
    },
    noteTool().tool,
  );
  const worker = await createWorker({
    agents: [agent],
    taskQueue,
    temporal: { connection, client: new Client({ connection }) },
    workflowBundle: { codePath },
  });
  process.stdout.write('up\n');
  await worker.finished;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
