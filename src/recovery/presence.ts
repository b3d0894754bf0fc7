import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync } from 'node:fs';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { disk } from '../disk/disk';
import type { LeaseOwner } from '../transcript/store';
import { schedulerState } from './scheduler-state';

/** A process that serves shows that it lives by answering at a socket. Pids are reused, zombies answer signals,
 *  and a stopped process keeps its socket: only an answer counts. */
export interface Presence {
  readonly owner: LeaseOwner;
  close(): void;
}

/** A living process answers in a fraction of this. A false "dead" is safe, for leases fence it, and costs model calls. */
const ANSWER_WITHIN_MS = 3_000;
/** The same where the system says that it is not stopped: on a machine that has ten times too much to do. */
const BUSY_ANSWER_WITHIN_MS = 20_000;
const LOOK_EVERY_MS = 200;

/** Announces this process as one of that host. Fails: Error when the socket folder belongs to somebody else. */
export async function announce(host = hostname()): Promise<Presence> {
  const workerId = randomBytes(8).toString('hex');
  const socket = join(socketFolder(), `${workerId}.sock`);
  const asking = new Set<Socket>();
  const server = createServer((connection) => {
    asking.add(connection);
    connection.on('error', () => undefined);
    connection.once('close', () => asking.delete(connection));
    // It stays open as long as the other side wants: its end is how a watcher hears of ours.
    connection.unref().write('alive\n');
  });
  await listen(server, socket);
  // The socket must not keep a process alive that has nothing else to do.
  server.unref();
  return {
    owner: { workerId, host, socket, pid: process.pid },
    close: () => {
      server.close();
      asking.forEach((connection) => connection.destroy());
      disk.rmSync(socket, { force: true });
    },
  };
}

/** Whether the process that announced itself still serves. Those of other hosts than this one count as alive. */
export function isAlive(
  { host, socket, pid }: LeaseOwner,
  thisHost = hostname(),
): Promise<boolean> {
  if (host !== thisHost) return Promise.resolve(true);
  if (!existsSync(socket)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const connection = connect(socket);
    const askedAtMs = performance.now();
    // Who takes connections is there: the pid is its own.
    const look = setInterval(() => {
      const state = pid === undefined ? null : schedulerState(pid);
      const patienceMs = state === null ? ANSWER_WITHIN_MS : BUSY_ANSWER_WITHIN_MS;
      const isOver = performance.now() - askedAtMs > patienceMs;
      if (state === 'stopped' || isOver) answer(false);
    }, LOOK_EVERY_MS).unref();
    const answer = (alive: boolean): void => {
      clearInterval(look);
      connection.destroy();
      resolve(alive);
    };
    connection.once('data', () => answer(true));
    connection.once('error', () => answer(false));
    connection.once('end', () => answer(false));
  });
}

/** Whether a process of this host that is not alive is still there: its socket takes connections. */
export function isStopped({ socket }: LeaseOwner): Promise<boolean> {
  if (!existsSync(socket)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const connection = connect(socket).unref();
    const answer = (isThere: boolean): void => {
      connection.destroy();
      resolve(isThere);
    };
    connection.once('connect', () => answer(true));
    connection.once('error', () => answer(false));
  });
}

/** Calls back once, as soon as the process has gone: the kernel closes its sockets with it. A process that is
 *  stopped has not gone; only `isAlive` tells. Returns what ends the watch. */
export function onGone({ socket }: LeaseOwner, gone: () => void): () => void {
  const connection = connect(socket).unref();
  let isOver = false;
  const end = (): void => {
    isOver = true;
    connection.destroy();
  };
  connection.on('error', () => undefined);
  connection.once('close', () => {
    if (!isOver) gone();
  });
  connection.resume();
  return end;
}

function listen(server: Server, socket: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, () => {
      disk.chmodSync(socket, 0o600);
      resolve();
    });
  });
}

/** A socket's path has 108 bytes at most, so it cannot lie in a home folder of any depth. */
function socketFolder(): string {
  const { uid } = userInfo();
  const folder = `/tmp/everloop-${uid}`;
  disk.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const stat = lstatSync(folder);
  if (!stat.isDirectory() || (uid >= 0 && stat.uid !== uid)) {
    throw new Error(
      `${folder} is not a folder of user ${uid}. Remove it, or let its owner do so, and start again.`,
    );
  }
  return folder;
}
