import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { disk } from '../disk/disk';
import { hostPartsOf } from '../activity-surroundings';
import { tellParked } from '../adoption/tell-parked';
import type { Adoption } from '../adoption/adoption';
import { hostQueue, isBackgroundQueue } from '../temporal/task-queue';
import { bootWorkflowThread } from '../temporal/workflow-thread';
import type { WorkerHealth } from '../health/worker-health';
import type { DailyCollection } from '../retention/daily-collection';
import type { LeaseOwner } from '../transcript/store';
import type { PolledQueue, RunningWorker } from '../worker';
import type { WorkerDeployment } from '../worker-deployment';
import { CliError } from './cli-error';
import { runEndHooks } from './end-hooks';
import type { Connected, SessionHost } from './session-host';

const STARTS_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 50;

/** The background Worker of this home and fingerprint, of whichever build: found, or started detached with its own
 *  log. */
export async function ensureBackgroundWorker(host: SessionHost): Promise<void> {
  if (await isServedInBackground(host, host.backgroundQueue)) return;
  const log = disk.openSync(join(folderOf(host), 'worker.log'), 'a', 0o600);
  const launcher = join(__dirname, '..', '..', 'bin', 'everloop');
  // It inherits no pipe of ours: a client that reads our output must see it end with us.
  const child = spawn(process.execPath, [launcher, 'worker'], {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: host.config.home,
  });
  disk.closeSync(log);
  child.unref();
  const deadline = Date.now() + STARTS_WITHIN_MS;
  while (Date.now() < deadline) {
    if (await isServedInBackground(host, host.backgroundQueue)) return;
    if (child.exitCode !== null && child.exitCode !== 0) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new CliError(
    `The background Worker did not start. Its log: ${join(folderOf(host), 'worker.log')}`,
  );
}

/** Serves the background queue until the signal aborts. A second one of the same build for the same queue leaves at
 *  once.
 *  `healthAddress`: where its health is told; null: nowhere. */
export async function serveBackground(
  host: SessionHost,
  signal: AbortSignal,
  healthAddress: string | null = null,
): Promise<void> {
  if (await findBackgroundWorker(host)) return;
  const health = healthAddress === null ? null : await listenForHealth(host, healthAddress);
  bootWorkflowThread();
  const connected = await host.connect();
  const { startWorker } = await import('../worker.js');
  const { config, settings, version, store, environment, ownCode } = host;
  const deployment = await deploymentOf(host);
  const taskQueue = host.backgroundQueue;
  let adoption: Adoption | null = null;
  let worker: RunningWorker | null = null;
  const look = (): void => void adoption?.look();
  const tellWaiting = (): void => {
    if (host.workspace === null || worker === null || worker.isDrained) return;
    void tellParked(connected.client, { place: store.place, workspace: config.workspace });
  };
  worker = await startWorker({
    ...connected,
    config,
    settings,
    version,
    store,
    environment,
    taskQueue,
    workspace: host.workspace,
    deployment,
    ...(ownCode && { ownCode }),
    onLoss: look,
    onServedElsewhere: look,
    onDrain() {
      look();
      tellWaiting();
    },
  });
  if (deployment !== null) await tellOf(deployment);
  const stopGauge = host.metricsAddress == null ? null : await beginGauge(host, connected);
  health?.watch({ client: connected.client, taskQueue, worker });
  const others = await Promise.all(otherQueuesOf(host).map((queue) => worker.poll(queue)));
  tellWaiting();
  adoption = await adoptOrphans(host, connected, worker);
  const collection = await collectDaily(host, connected, worker);
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  const note = join(folderOf(host), noteName(taskQueue, deployment));
  disk.writeFileSync(note, JSON.stringify(worker.owner), { mode: 0o600 });
  try {
    await Promise.race([stopped, worker.finished, ...others.map(({ finished }) => finished)]);
  } finally {
    stopGauge?.();
    await collection?.stop();
    await adoption.stop();
    await Promise.allSettled(others.map((queue) => queue.stop()));
    await worker.stop();
    await connected.close();
    await health?.close();
  }
}

async function tellOf(deployment: WorkerDeployment): Promise<void> {
  const { howToMakeCurrent } = await import('../worker-deployment.js');
  console.error(howToMakeCurrent(deployment));
}

/** Beside its own. */
const otherQueuesOf = (host: SessionHost): readonly PolledQueue[] => [
  ...(host.homeQueue === host.backgroundQueue
    ? []
    : [{ taskQueue: host.homeQueue, hasActivities: true }]),
  ...workspaceQueuesOf(host).map((taskQueue) => ({
    taskQueue,
    hasActivities: true,
    hasWorkflows: false,
  })),
];

/** That of its host is for workspaces that several hosts may share: one that has a host's name is of that host. */
function workspaceQueuesOf({ workspace, config: { host } }: SessionHost): readonly string[] {
  if (workspace === null) return [];
  const { name, taskQueue } = workspace;
  return name === host ? [taskQueue] : [taskQueue, hostQueue(workspace, host)];
}

/** null: nobody wants it. */
async function collectDaily(
  { config, store, isAlive }: SessionHost,
  { client }: Connected,
  { owner }: RunningWorker,
): Promise<DailyCollection | null> {
  const { home, retentionDays: days } = config;
  if (days === null) return null;
  const { DailyCollection: Daily } = await import('../retention/daily-collection.js');
  const warn = (text: string): void => console.error(text);
  const collection = new Daily({ client, store, home, owner, isAlive, days, warn });
  void collection.look(Date.now());
  return collection;
}

async function beginGauge({ store }: SessionHost, { client }: Connected): Promise<() => void> {
  const { Runtime } = await import('@temporalio/worker');
  const { gaugeWaiting } = await import('../metrics/waiting-queries.js');
  return gaugeWaiting({ client, place: store.place, meter: Runtime.instance().metricMeter });
}

async function listenForHealth({ config }: SessionHost, address: string): Promise<WorkerHealth> {
  const { WorkerHealth: Health } = await import('../health/worker-health.js');
  return Health.listen(address, [config.home, join(config.configDir, 'projects')]);
}

/** From here on this process sees to the sessions of the home whose own process has gone. */
async function adoptOrphans(
  host: SessionHost,
  { client }: Connected,
  worker: RunningWorker,
): Promise<Adoption> {
  const { Adoption: Adopting } = await import('../adoption/adoption.js');
  const adoption = new Adopting({
    client,
    store: host.store,
    candidate: {
      fingerprint: host.fingerprint,
      hostParts: hostPartsOf(host.settings),
      workspace: host.config.workspace,
    },
    worker,
    isAlive: host.isAlive,
    isAnswered: async (taskQueue) =>
      !isBackgroundQueue(taskQueue) ||
      taskQueue === host.backgroundQueue ||
      taskQueue === host.homeQueue ||
      (await isServedInBackground(host, taskQueue)),
    async onClosed(session) {
      await runEndHooks(host, session);
      if (!session.meta.persistent) await session.delete();
    },
    warn: (text) => console.error(text),
  });
  void adoption.look();
  return adoption;
}

/** Whether the background Worker of this home, fingerprint and build lives. */
export async function findBackgroundWorker(host: SessionHost): Promise<boolean> {
  return lives(host, noteName(host.backgroundQueue, await deploymentOf(host)));
}

/** Whether a living process of any build serves the queue. */
async function isServedInBackground(host: SessionHost, taskQueue: string): Promise<boolean> {
  const notes = disk
    .readdirSync(folderOf(host))
    .filter((name) => name === noteName(taskQueue, null) || name.startsWith(`${taskQueue}@`));
  const living = await Promise.all(notes.map((note) => lives(host, note)));
  return living.includes(true);
}

async function lives(host: SessionHost, note: string): Promise<boolean> {
  const owner = readOwner(join(folderOf(host), note));
  return owner !== undefined && host.isAlive(owner);
}

async function deploymentOf({ config, version }: SessionHost): Promise<WorkerDeployment | null> {
  if (config.deployment === null) return null;
  const [{ workerDeployment }, { WORKFLOW_BUNDLE: workflowBundle }] = await Promise.all([
    import('../worker-deployment.js'),
    import('../worker.js'),
  ]);
  return workerDeployment(config, { version, workflowBundle });
}

function folderOf({ config }: SessionHost): string {
  const folder = join(config.home, 'background');
  disk.mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Workers of several builds serve one queue beside each other. */
const noteName = (taskQueue: string, deployment: WorkerDeployment | null): string =>
  `${taskQueue}${deployment === null ? '' : `@${deployment.buildId}`}.json`;

function readOwner(file: string): LeaseOwner | undefined {
  try {
    return fromNote(JSON.parse(disk.readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function fromNote(note: unknown): LeaseOwner | undefined {
  const isOwner =
    typeof note === 'object' && note !== null && 'workerId' in note && 'socket' in note;
  return isOwner ? (note as LeaseOwner) : undefined;
}
