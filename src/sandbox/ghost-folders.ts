import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A name that must not be written in a workspace is occupied while commands run: an empty folder stands there, over
 *  which the sandbox mounts itself. Git and readers of settings see nothing in an empty folder; nothing else can be
 *  mounted over a name that is not there. Each is noted, so that it is cleared away whoever dies. */

/** How long a start of another process may take until its mounts show. */
const STARTS_WITHIN_MS = 10_000;

/** A sandbox that has just ended is gone after so long. */
const LEAVES_WITHIN_MS = 15;
const LOOKS = 3;

/** By path: how many starts of this process count on it. */
const held = new Map<string, number>();

const notesFolder = (home: string): string => path.join(home, 'sandbox', 'ghosts');

/** Makes the folders. Returns what lets go of them: to be called when the command has its mounts or has ended. */
export async function raiseGhosts(home: string, ghosts: readonly string[]): Promise<() => void> {
  for (const ghost of ghosts) held.set(ghost, (held.get(ghost) ?? 0) + 1);
  if (ghosts.length > 0) await mkdir(notesFolder(home), { recursive: true, mode: 0o700 });
  for (const ghost of ghosts) {
    await writeFile(noteOf(home, ghost), `${process.pid}\n${ghost}`, { mode: 0o600 });
    // Where it cannot be made nothing else can.
    await mkdir(ghost).catch(() => undefined);
  }
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    for (const ghost of ghosts) held.set(ghost, (held.get(ghost) ?? 1) - 1);
  };
}

/** Clears away those that no sandbox stands on. What is still in use waits for whoever clears next. Never throws. */
export async function clearGhosts(home: string): Promise<void> {
  for (let look = 1; look <= LOOKS; look++) {
    if ((await clearOnce(home).catch(() => 'done')) === 'done') return;
    await delay(LEAVES_WITHIN_MS);
  }
}

async function clearOnce(home: string): Promise<'done' | 'in use'> {
  const names = await readdir(notesFolder(home)).catch(() => []);
  const notes = (await Promise.all(names.map((name) => readNote(home, name)))).flat();
  const idle = notes.filter(
    ({ ghost, isStarting }) => !isStarting && !((held.get(ghost) ?? 0) > 0),
  );
  if (idle.length === 0) return 'done';
  const mounted = mountPointsOfOthers();
  for (const { ghost } of idle) {
    if (mounted.has(ghost) || (held.get(ghost) ?? 0) > 0) continue;
    // Only ever an empty folder goes.
    await rmdir(ghost).catch(() => undefined);
    await rm(noteOf(home, ghost), { force: true }).catch(() => undefined);
    held.delete(ghost);
  }
  return idle.some(({ ghost }) => mounted.has(ghost)) ? 'in use' : 'done';
}

interface Note {
  readonly ghost: string;
  /** Of another process, whose mounts may not show yet. */
  readonly isStarting: boolean;
}

async function readNote(home: string, name: string): Promise<readonly Note[]> {
  const file = path.join(notesFolder(home), name);
  try {
    const text = await readFile(file, 'utf8');
    const end = text.indexOf('\n');
    const isYoung = Date.now() - (await stat(file)).mtimeMs < STARTS_WITHIN_MS;
    const isStarting = isYoung && isAnotherAlive(Number(text.slice(0, end)));
    return [{ ghost: text.slice(end + 1), isStarting }];
  } catch {
    return [];
  }
}

function isAnotherAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function noteOf(home: string, ghost: string): string {
  const name = createHash('sha256').update(ghost).digest('hex').slice(0, 32);
  return path.join(notesFolder(home), name);
}

/** Of every mount namespace but our own. */
function mountPointsOfOthers(): ReadonlySet<string> {
  const seen = new Set([namespaceOf('self')]);
  const points = new Set<string>();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const namespace = namespaceOf(pid);
    if (seen.has(namespace)) continue;
    seen.add(namespace);
    for (const line of readIfThere(`/proc/${pid}/mountinfo`).split('\n')) {
      const point = line.split(' ')[4] ?? '';
      points.add(
        point.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8))),
      );
    }
  }
  return points;
}

function namespaceOf(pid: string): string {
  try {
    return readlinkSync(`/proc/${pid}/ns/mnt`);
  } catch {
    // Gone, or another user's.
    return 'unknown';
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
