import { spawn } from 'node:child_process';
import { mkdirSync, openSync, closeSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../recovery/presence';
import { bootWorkflowThread } from '../temporal/workflow-thread';
import type { LeaseOwner } from '../transcript/store';
import { CliError } from './cli-error';
import type { SessionHost } from './session-host';

const STARTS_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 50;

/** The background Worker of this home and fingerprint: found, or started detached with its own log. */
export async function ensureBackgroundWorker(host: SessionHost): Promise<void> {
  if (await findBackgroundWorker(host)) return;
  const log = openSync(join(folderOf(host), 'worker.log'), 'a', 0o600);
  const launcher = join(__dirname, '..', '..', 'bin', 'everloop');
  // It inherits no pipe of ours: a client that reads our output must see it end with us.
  const child = spawn(process.execPath, [launcher, 'worker'], {
    detached: true,
    stdio: ['ignore', log, log],
    cwd: host.config.home,
  });
  closeSync(log);
  child.unref();
  const deadline = Date.now() + STARTS_WITHIN_MS;
  while (Date.now() < deadline) {
    if (await findBackgroundWorker(host)) return;
    if (child.exitCode !== null && child.exitCode !== 0) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new CliError(
    `The background Worker did not start. Its log: ${join(folderOf(host), 'worker.log')}`,
  );
}

/** Serves the background queue until the signal aborts. A second one for the same queue leaves at once. */
export async function serveBackground(host: SessionHost, signal: AbortSignal): Promise<void> {
  if (await findBackgroundWorker(host)) return;
  bootWorkflowThread();
  const connected = await host.connect();
  const { startWorker } = await import('../worker.js');
  const { config, settings, version, store, environment } = host;
  const taskQueue = host.backgroundQueue;
  const worker = await startWorker({
    ...connected,
    config,
    settings,
    version,
    store,
    environment,
    taskQueue,
  });
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  writeFileSync(noteOf(host), JSON.stringify(worker.owner), { mode: 0o600 });
  try {
    await Promise.race([stopped, worker.finished]);
  } finally {
    await worker.stop();
    await connected.close();
  }
}

/** Whether a living process serves the queue. */
async function findBackgroundWorker(host: SessionHost): Promise<boolean> {
  const owner = readOwner(noteOf(host));
  return owner !== undefined && isAlive(owner);
}

function folderOf({ config }: SessionHost): string {
  const folder = join(config.home, 'background');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

const noteOf = (host: SessionHost): string => join(folderOf(host), `${host.backgroundQueue}.json`);

function readOwner(file: string): LeaseOwner | undefined {
  try {
    return fromNote(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return undefined;
  }
}

function fromNote(note: unknown): LeaseOwner | undefined {
  const isOwner =
    typeof note === 'object' && note !== null && 'workerId' in note && 'socket' in note;
  return isOwner ? (note as LeaseOwner) : undefined;
}
