import { randomUUID } from 'node:crypto';
import { link, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isNativeError } from 'node:util/types';

import { processIdentity } from './process-identity';
import { ServerError } from './server-error';

const POLL_MS = 25;
/** Longer than the longest honest holder: one that builds the binary from source, then starts the server. */
const DEFAULT_PATIENCE_MS = 25 * 60_000;

/** Runs `action` while no other process on this machine runs one under the same folder. A holder that died does not block.
 *
 *  How: tickets `lock.1`, `lock.2`, ... of which only the newest counts. It names its holder by pid and start time, or nobody.
 *  Whoever finds the newest one free creates the next number, which the file system grants to one process only. The newest
 *  ticket is never removed, so a stale lock is left behind and not broken: there is no moment at which a slow process
 *  could remove the lock of a quick one.
 *  Fails: ServerError lock_busy when a live holder keeps it longer than `patienceMs`; whatever `action` throws.
 */
export async function withServerLock<T>(
  folder: string,
  action: () => Promise<T>,
  patienceMs = DEFAULT_PATIENCE_MS,
): Promise<T> {
  const ticket = await acquire(folder, patienceMs);
  try {
    return await action();
  } finally {
    await replaceTicket(folder, ticket, FREE);
  }
}

/** Content of a ticket whose holder has let go. */
const FREE = 'free';

async function acquire(folder: string, patienceMs: number): Promise<number> {
  const self = await processIdentity(process.pid);
  if (!self) throw new Error(`Process ${process.pid} cannot see itself`);
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const newest = (await ticketNumbers(folder)).at(-1) ?? 0;
    const holder = await readFile(ticketPath(folder, newest), 'utf8').catch(() => FREE);
    if (!(await isHeld(holder))) {
      if (await take(folder, newest + 1, self)) return newest + 1;
      continue;
    }
    if (Date.now() > deadline) {
      throw new ServerError(
        'lock_busy',
        `Process ${holder.split('@')[0] ?? '?'} has been starting or stopping the local Temporal server ` +
          `for more than ${Math.round(patienceMs / 1000)} s. Wait for it or end it, then try again.`,
      );
    }
    await delay(POLL_MS);
  }
}

async function isHeld(holder: string): Promise<boolean> {
  const pid = Number.parseInt(holder, 10);
  return Number.isInteger(pid) && (await processIdentity(pid)) === holder;
}

async function take(folder: string, number: number, self: string): Promise<boolean> {
  const draft = join(folder, `draft.${randomUUID()}`);
  await writeFile(draft, self, { mode: 0o600 });
  try {
    // A link, because it fails if the ticket exists, and the ticket is complete from its first moment.
    await link(draft, ticketPath(folder, number));
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const numbers = await ticketNumbers(folder);
  const older = numbers.filter((other) => other < number);
  // We looked long ago, and this number has since been used and cleared away.
  const overtaken = numbers.some((other) => other > number);
  for (const gone of overtaken ? [number] : older) {
    await rm(ticketPath(folder, gone), { force: true });
  }
  return !overtaken;
}

async function replaceTicket(folder: string, number: number, content: string): Promise<void> {
  const draft = join(folder, `draft.${randomUUID()}`);
  await writeFile(draft, content, { mode: 0o600 });
  await rename(draft, ticketPath(folder, number));
}

async function ticketNumbers(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names
    .map((name) => Number(/^lock\.(\d+)$/.exec(name)?.[1]))
    .filter(Number.isInteger)
    .sort((left, right) => left - right);
}

function ticketPath(folder: string, number: number): string {
  return join(folder, `lock.${number}`);
}

function isErrno(error: unknown, code: string): boolean {
  return isNativeError(error) && 'code' in error && error.code === code;
}
