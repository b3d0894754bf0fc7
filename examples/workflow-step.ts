/** An agent as one step of a Workflow of your own: triage → agent → follow-up. The Worker is a stock one with the
 *  everloop plugin; Workflow and Activities are in the folder workflow-step.
 *  Run: npx tsx examples/workflow-step.ts */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { everloop } from 'everloop';
import { calls, openStage, says } from './stage/stage';
import { createActivities } from './workflow-step/activities';
import type { handleTicket } from './workflow-step/workflows';

const SHOP = { 'price.js': 'exports.total = (a, b) => a - b;\n' };
const TICKETS = [
  { id: 'ticket-1', text: 'My total is wrong: two things for 3 each cost 0.' },
  { id: 'ticket-2', text: 'I like your shop.' },
];

/** What a scripted model does about the first; the second needs none. */
const REPLIES = [
  calls(['Read', { file_path: 'price.js' }]),
  calls(['Edit', { file_path: 'price.js', old_string: 'a - b', new_string: 'a + b' }]),
  says('Prices were subtracted. They are added now.'),
];

async function main(): Promise<void> {
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const stage = await openStage(REPLIES);
  const connection = await NativeConnection.connect({
    address: stage.environment['TEMPORAL_ADDRESS'] ?? '',
  });
  try {
    const folder = stage.folder('shop', SHOP);
    const agents = everloop({ environment: stage.environment });
    const taskQueue = `tickets-${String(process.pid)}`;
    const worker = await Worker.create({
      connection,
      taskQueue,
      workflowsPath: require.resolve('./workflow-step/workflows'),
      activities: createActivities(agents, folder),
      plugins: [agents],
    });
    const { workflow } = new Client({ connection });
    await worker.runUntil(async () => {
      for (const ticket of TICKETS) {
        const workflowId = `${taskQueue}-${ticket.id}`;
        const told = await workflow.execute<typeof handleTicket>('handleTicket', {
          taskQueue,
          workflowId,
          args: [ticket],
        });
        console.log(`${ticket.id}: ${told}`);
      }
    });
    console.log(`price.js: ${readFileSync(join(folder, 'price.js'), 'utf8').trimEnd()}`);
  } finally {
    await connection.close();
    await stage.close();
  }
}

void main();
