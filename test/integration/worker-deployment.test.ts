// Needs: a Temporal server (started by the run).
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporal } from '@temporalio/proto';
import { NativeConnection } from '@temporalio/worker';
import { ServerConnection } from '../../src/mcp/server-connection';
import { startWorker, type RunningWorker } from '../../src/worker';
import { composeActivities } from '../../src/worker-activities';
import { startDurable, type Durable } from '../support/durable';
import { eventsOf, runsOf, type Run } from '../support/histories';
import { calls, fileIn, heldCommand, says } from '../support/replies';
import { workflowBundle } from '../support/workflow-bundle';

/** Of every build. */
const NAME = `everloop-${randomUUID().slice(0, 8)}`;

const EVERYWHERE =
  temporal.api.enums.v1.RoutingConfigUpdateState.ROUTING_CONFIG_UPDATE_STATE_COMPLETED;

let durable: Durable;
let connection: NativeConnection | undefined;
let old: RunningWorker | undefined;
let next: RunningWorker | undefined;

describe('the Worker of one build is replaced by that of the next', () => {
  beforeAll(async () => {
    durable = await startDurable({
      isServed: false,
      script: [says('Hello.'), calls(heldCommand()), says('Done.'), says('Here.')],
    });
    connection = await NativeConnection.connect({ address: durable.address });
    old = await serve(connection, 'a', await workflowBundle());
    await makeCurrent('a');
    await durable.ask('Hi.');
    const id = await durable.say('Run it.');
    await fileIn(durable.project, 'started');

    next = await serve(connection, 'b', await changedBundle());
    await makeCurrent('b');
    const { runId } = await durable.queryHandle(id).describe();
    writeFileSync(join(durable.project, 'go'), '');
    await until(async () => (await durable.queryHandle(id).describe()).runId !== runId);
    await old.stop();
    old = undefined;
    await durable.resultOf(id);
    await durable.ask('Are you there?');
  });

  afterAll(async () => {
    await next?.stop();
    await old?.stop();
    await connection?.close();
    await durable.close();
  });

  test('a query stays with its build until its next turn, and ends on the next one', async () => {
    const [first, last, ...more] = await runsOfMessage(1);

    expect(more).toEqual([]);
    expect(buildsOf(first)).toEqual(['a']);
    expect(buildsOf(last)).toEqual(['b']);
    expect(lines('runs')).toHaveLength(1);
  });

  test('the session goes on in the next build, and begins the next query there', async () => {
    const session = await runsOf(durable.client, durable.sessionWorkflowId);
    const [query, ...more] = await runsOfMessage(2);

    expect(session.flatMap(buildsOf)).toEqual(['a', 'b']);
    expect(buildsOf(query)).toEqual(['b']);
    expect(more).toEqual([]);
  });

  test('no Workflow Task fails, though neither build could replay queries of the other', async () => {
    const histories = await Promise.all([
      runsOf(durable.client, durable.sessionWorkflowId),
      ...[0, 1, 2].map(runsOfMessage),
    ]);

    const failed = histories
      .flatMap(eventsOf)
      .flatMap(({ workflowTaskFailedEventAttributes: it }) => it ?? []);

    expect(failed).toEqual([]);
  });
});

function serve(
  connection: NativeConnection,
  buildId: string,
  codePath: string,
): Promise<RunningWorker> {
  return startWorker({
    config: durable.config,
    connection,
    client: durable.client,
    taskQueue: durable.session.meta.taskQueue,
    store: durable.store,
    version: '0.0.0',
    deployment: { name: NAME, buildId },
    settings: { cli: null },
    environment: { PATH: process.env['PATH'] },
    workflowBundle: { codePath },
    compose: composeActivities,
    connectServer: (options) => ServerConnection.open(options),
  });
}

/** The server hears of a build with the first poll of its Worker, and its Task Queues a moment after that which build
 *  is current; the test's own time limit is the deadline. */
async function makeCurrent(buildId: string): Promise<void> {
  const { workflowService, options } = durable.client;
  const about = { namespace: options.namespace, deploymentName: NAME };
  await until(async () => {
    await workflowService.setWorkerDeploymentCurrentVersion({ ...about, buildId });
    return true;
  });
  await until(async () => {
    const { workerDeploymentInfo } = await workflowService.describeWorkerDeployment(about);
    return workerDeploymentInfo?.routingConfigUpdateState === EVERYWHERE;
  });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo().catch(() => false)))
    await new Promise((resolve) => setTimeout(resolve, 50));
}

/** The same Workflows, but that a query has another first command. */
async function changedBundle(): Promise<string> {
  const source = readFileSync(await workflowBundle(), 'utf8');
  const [before, after, ...others] = source.split(/const left = await/);
  const [, sdk] = /\(0, ?(\w+)\.makeContinueAsNewFunc\)/.exec(source) ?? [];
  if (sdk === undefined || after === undefined || others.length > 0) {
    throw new Error('The bundle is not as it was: adapt changedBundle.');
  }
  const file = join(durable.home, 'changed-bundle.js');
  writeFileSync(file, `${before}await (0, ${sdk}.sleep)(1); const left = await${after}`);
  return file;
}

async function runsOfMessage(index: number): Promise<readonly Run[]> {
  const prompts = durable.entries.flatMap((entry) =>
    entry.type === 'query_ended' ? [entry.promptId] : [],
  );
  return runsOf(durable.client, durable.queryHandle(prompts[index] ?? '').workflowId);
}

/** Builds that have worked on the run, in order. */
function buildsOf(run: Run | undefined): readonly string[] {
  const builds = (run?.history.events ?? []).flatMap(
    ({ workflowTaskCompletedEventAttributes: task }) => task?.deploymentVersion?.buildId ?? [],
  );
  return [...new Set(builds)];
}

const lines = (file: string): readonly string[] =>
  readFileSync(join(durable.project, file), 'utf8').trim().split('\n');
