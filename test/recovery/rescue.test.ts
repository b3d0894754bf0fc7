// Needs: a Temporal server (started by the run).
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Context } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import {
  DefaultLogger,
  NativeConnection,
  Runtime,
  Worker,
  bundleWorkflowCode,
} from '@temporalio/worker';
import { sessionWorkflowId } from '../../src/transcript/place';
import { isAlive } from '../../src/recovery/presence';
import { rescueOrphans } from '../../src/recovery/rescue';
import { createRunNotes, readRunNotes } from '../../src/recovery/run-notes';
import { kill } from '../support/kill';
import { temporalAddress } from '../support/temporal';
import { transpiled } from '../support/transpiled';

const logger = new DefaultLogger('ERROR');

let home: string;
let codePath: string;
let connection: NativeConnection;
let client: Client;
beforeAll(async () => {
  Runtime.install({ logger });
  home = mkdtempSync(join(tmpdir(), 'everloop-rescue-'));
  codePath = join(home, 'bundle.js');
  const workflowsPath = require.resolve('./one-activity');
  const { code } = await bundleWorkflowCode({ workflowsPath, logger });
  writeFileSync(codePath, code);
  connection = await NativeConnection.connect({ address: temporalAddress() });
  client = new Client({ connection });
});
afterAll(async () => {
  await connection.close();
  rmSync(home, { recursive: true });
});

/** Runs a Workflow on a Worker of its own process and kills that in the middle of the first Activity. */
async function loseWorker(taskQueue: string, workflowId: string): Promise<void> {
  const script = transpiled(join(__dirname, 'lost-worker.ts'));
  const args = [script, temporalAddress(), home, taskQueue, codePath];
  const lost: ChildProcess = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  await client.workflow.start('oneActivity', { taskQueue, workflowId });
  for await (const line of createInterface({ input: lost.stdout! })) {
    if (line === 'attempt 1') break;
  }
  await kill(lost);
}

test('the attempt of a killed Worker is tried again at once, and its Workflow does not wait for it either', async () => {
  const taskQueue = randomUUID();
  const workflowId = `${sessionWorkflowId(home, randomUUID())}-${randomUUID()}`;
  await loseWorker(taskQueue, workflowId);
  const [left] = readRunNotes(home);
  const work = async () => Context.current().info.attempt;
  const activities = { work };
  const workflowBundle = { codePath };
  const worker = await Worker.create({ connection, taskQueue, workflowBundle, activities });

  const startedAtMs = Date.now();
  const rescued = await rescueOrphans({ client, home, isAlive });
  let tookMs = Infinity;
  const result: unknown = await worker.runUntil(async () => {
    const ended: unknown = await client.workflow.getHandle(workflowId).result();
    tookMs = Date.now() - startedAtMs;
    return ended;
  });

  expect(rescued).toEqual({ attempts: 1, workflows: 1 });
  expect(result).toEqual([2, 1]);
  // Timeouts alone would take 60 s for the attempt and 10 s for the Workflow.
  expect(tookMs).toBeLessThan(9_000);
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const started = events?.find((event) => event.activityTaskStartedEventAttributes);
  const failure = started?.activityTaskStartedEventAttributes?.lastFailure;
  expect(failure?.applicationFailureInfo?.type).toBe('Worker.Lost');
  expect(readRunNotes(home)).toEqual([]);
  rmSync(left!.owner.socket, { force: true });
});

test('what a living Worker does is left alone', async () => {
  const owner = { workerId: 'living', host: 'localhost', socket: '/none' };
  const notes = createRunNotes(home, owner);
  notes.noteAttempt({ token: 'dG9rZW4=', workflowId: 'w', runId: 'r' });

  const rescued = await rescueOrphans({ client, home, isAlive: async () => true });

  expect(rescued).toEqual({ attempts: 0, workflows: 0 });
  expect(readRunNotes(home)).toHaveLength(1);
  notes.clear();
});

test('notes of an attempt that the server no longer knows are cleared away all the same', async () => {
  const owner = { workerId: 'dead', host: 'localhost', socket: '/none' };
  createRunNotes(home, owner).noteAttempt({ token: 'dG9rZW4=', workflowId: 'w', runId: 'r' });

  const rescued = await rescueOrphans({ client, home, isAlive: async () => false });

  expect(rescued.attempts).toBe(1);
  expect(readRunNotes(home)).toEqual([]);
});
