import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './process-identity';
import type { ProcessIdentity } from './process-identity';
import { hasEnvironmentLine, readProcessTable } from './process-table';
import type { ProcessEntry } from './process-table';

const GRACE_MS = 300;
const KILL_DEADLINE_MS = 2_000;
const LOOK_EVERY_MS = 20;

/** A command and everything that it started. */
interface ProcessTree {
  readonly leader: ProcessIdentity;
  /** "NAME=value": all of the tree inherit it, so it finds those that left the group and lost their parent. */
  readonly environmentLine: string;
}

/** Asks the whole tree to end, and kills what is left after 300 ms. */
export async function endProcessTree(tree: ProcessTree): Promise<void> {
  const known = new Map<number, ProcessEntry>();
  if (await signalUntilGone(tree, known, ['SIGTERM', 'SIGCONT'], GRACE_MS)) return;
  await signalUntilGone(tree, known, ['SIGKILL'], KILL_DEADLINE_MS);
}

/** Each member gets the signals once when it is first seen; SIGKILL again and again, for it may fork meanwhile. */
async function signalUntilGone(
  tree: ProcessTree,
  known: Map<number, ProcessEntry>,
  signals: readonly NodeJS.Signals[],
  limitMs: number,
): Promise<boolean> {
  const signalled = new Set<string>();
  for (const deadline = Date.now() + limitMs; ;) {
    const members = findMembers(tree, known);
    if (members.length === 0) return true;
    if (Date.now() >= deadline) return false;
    for (const member of members) {
      const key = `${member.pid} ${member.startTime}`;
      if (!signalled.has(key) || signals.includes('SIGKILL')) send(member.pid, signals);
      signalled.add(key);
    }
    await delay(LOOK_EVERY_MS);
  }
}

/** Members known from an earlier look stay members, also when their parent has ended since. */
function findMembers(tree: ProcessTree, known: Map<number, ProcessEntry>): readonly ProcessEntry[] {
  const table = readProcessTable().filter((entry) => !entry.isZombie);
  // Once the leader has ended, its pid may be another's, and so may be the group of that number.
  const leader = isAlive(tree.leader) ? tree.leader.pid : undefined;
  const members = new Map<number, ProcessEntry>();
  for (const entry of table) {
    const isMember =
      known.get(entry.pid)?.startTime === entry.startTime ||
      entry.pid === leader ||
      entry.group === leader ||
      hasEnvironmentLine(entry.pid, tree.environmentLine);
    if (isMember) members.set(entry.pid, entry);
  }
  addDescendants(members, table);
  for (const [pid, entry] of members) known.set(pid, entry);
  return [...members.values()];
}

function addDescendants(members: Map<number, ProcessEntry>, table: readonly ProcessEntry[]): void {
  for (let sizeBefore = -1; sizeBefore !== members.size;) {
    sizeBefore = members.size;
    for (const entry of table) {
      if (members.has(entry.parent)) members.set(entry.pid, entry);
    }
  }
}

function send(pid: number, signals: readonly NodeJS.Signals[]): void {
  for (const signal of signals) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended, or belongs to another user; the next look tells.
    }
  }
}
