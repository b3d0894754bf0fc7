import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from './process-identity';
import type { ProcessIdentity } from './process-identity';
import { hasMark, lookAtProcesses, newestPid, readProcess } from './process-table';
import type { ProcessEntry } from './process-table';
import type { TreeMark } from './tree-mark';

const GRACE_MS = 200;
const KILL_DEADLINE_MS = 10_000;
const LOOK_EVERY_MS = 20;
/** Where other programs start processes all the time, one of those has always ended while it was looked at, and no look
 *  is complete. Then so many in a row that find nothing are the end. Beside each of them we lie in wait, and one that
 *  forks and leaves in a loop starts several processes in that time. */
const EMPTY_LOOKS = 15;
const WAIT_MS = 10;
/** A burst of more is not looked through. */
const MOST_NEW = 20;

/** A command and everything that it started. */
interface ProcessTree {
  readonly leader: ProcessIdentity;
  readonly mark: TreeMark;
}

/** Asks the whole tree to end, and kills what is left after `graceMs`.
 *  Returns whether nothing is left of it. */
export async function endProcessTree(tree: ProcessTree, graceMs = GRACE_MS): Promise<boolean> {
  const hunt = new Hunt(tree);
  if (await askToEnd(hunt, graceMs)) return true;
  return kill(hunt);
}

/** Each member is asked once, when it is first seen. Their time begins then: among many processes the look takes some
 *  of its own. */
async function askToEnd(hunt: Hunt, graceMs: number): Promise<boolean> {
  const asked = new Set<string>();
  for (let deadlineMs = Infinity; performance.now() < deadlineMs;) {
    const members = hunt.findMembers();
    if (members.length === 0 && hunt.isOver()) return true;
    for (const member of members) {
      if (!asked.has(keyOf(member))) send(member.pid, ['SIGTERM', 'SIGCONT']);
      asked.add(keyOf(member));
    }
    deadlineMs = Math.min(deadlineMs, performance.now() + graceMs);
    await delay(LOOK_EVERY_MS);
  }
  return false;
}

/** Without a pause: a process that forks and leaves in a loop lives for a millisecond only, and is caught as it starts.
 *  The signal to a group reaches all of it at once, also those that are just being forked. */
async function kill(hunt: Hunt): Promise<boolean> {
  let emptyLooks = 0;
  for (const deadlineMs = performance.now() + KILL_DEADLINE_MS; performance.now() < deadlineMs;) {
    const members = hunt.findMembers();
    emptyLooks = members.length === 0 ? emptyLooks + 1 : 0;
    if (members.length === 0 && hunt.isOver()) return true;
    if (emptyLooks >= EMPTY_LOOKS && hunt.findsNobody()) return true;
    end(hunt, members);
    if (members.length === 0 && hunt.lieInWait((member) => end(hunt, [member]))) emptyLooks = 0;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return false;
}

function end(hunt: Hunt, members: readonly ProcessEntry[]): void {
  for (const { pid } of members) send(pid, ['SIGKILL']);
  for (const group of hunt.groupsOf(members)) send(-group, ['SIGKILL']);
}

/** Looks for the members of one tree again and again; after the first look only at processes that are new. */
class Hunt {
  readonly #members = new Map<number, ProcessEntry>();
  readonly #strangers = new Set<number>();
  readonly #zombies = new Set<string>();
  readonly #ownGroup = readProcess(process.pid)?.group;
  /** false: one ended while it was looked at, and may have left children that nobody has seen. */
  #isComplete = false;

  constructor(private readonly tree: ProcessTree) {}

  /** Members known from an earlier look stay members, also when their parent has ended since. */
  findMembers(): readonly ProcessEntry[] {
    const { pids, entries, isComplete } = lookAtProcesses(this.#strangers);
    this.#isComplete = isComplete;
    for (const pid of this.#strangers) if (!pids.has(pid)) this.#strangers.delete(pid);
    const living = entries.filter((entry) => !this.#isZombie(entry));
    const members = new Set(living.filter((entry) => this.#isMember(entry)));
    addDescendants(members, living);
    this.#members.clear();
    for (const member of members) this.#members.set(member.pid, member);
    for (const entry of living) if (!members.has(entry)) this.#passOver(entry);
    return [...members];
  }

  #isZombie(entry: ProcessEntry): boolean {
    if (!entry.isZombie) return false;
    const key = keyOf(entry);
    if (!this.#zombies.has(key)) this.#isComplete = false;
    this.#zombies.add(key);
    // There may be hundreds of them where nobody collects them.
    this.#strangers.add(entry.pid);
    return true;
  }

  #passOver({ pid, startTime }: ProcessEntry): void {
    const now = readProcess(pid);
    // It may have ended before its mark was read.
    if (now?.startTime === startTime && !now.isZombie) this.#strangers.add(pid);
    else this.#isComplete = false;
  }

  /** Whether a look at every process, strangers too, finds nothing and can have missed nothing; nor did the one
   *  before. */
  isOver(): boolean {
    return this.#isComplete && this.findsNobody() && this.#isComplete;
  }

  /** Whether a look at every process, strangers too, finds nothing. */
  findsNobody(): boolean {
    this.#strangers.clear();
    return this.findMembers().length === 0;
  }

  /** Tells of members while they start, for 10 ms: one that forks and leaves has mostly gone between a look at all
   *  processes and the look at itself. Returns whether there were any. */
  lieInWait(onMember: (member: ProcessEntry) => void): boolean {
    let hasCaught = false;
    let known = newestPid() ?? 0;
    for (const endMs = performance.now() + WAIT_MS; performance.now() < endMs;) {
      const newest = newestPid();
      if (newest === undefined) return false;
      for (const pid of pidsBetween(known, newest)) {
        const entry = readProcess(pid);
        // Its pid is given out a moment before the process is to be seen.
        known = entry === undefined ? newest - 1 : newest;
        if (entry === undefined || entry.isZombie || !this.#isMember(entry)) continue;
        hasCaught = true;
        onMember(entry);
      }
    }
    return hasCaught;
  }

  /** Groups of members hold nothing but members: the command began a session of its own. */
  groupsOf(members: readonly ProcessEntry[]): ReadonlySet<number> {
    const groups = new Set(members.map(({ group }) => group));
    groups.delete(0);
    if (this.#ownGroup !== undefined) groups.delete(this.#ownGroup);
    return groups;
  }

  #isMember({ pid, group, startTime }: ProcessEntry): boolean {
    if (this.#members.get(pid)?.startTime === startTime) return true;
    const { leader, mark } = this.tree;
    // Once the leader has ended, its pid may be another's, and so may be the group of that number.
    const isInGroup = pid === leader.pid || group === leader.pid;
    return (isInGroup && isAlive(leader)) || hasMark(pid, mark);
  }
}

/** Those given out since; the newest alone where they begin anew, or where there are many. */
const pidsBetween = (known: number, newest: number): readonly number[] => {
  const count = newest - known;
  if (count < 0 || count > MOST_NEW) return [newest];
  return Array.from({ length: count }, (_, index) => known + index + 1);
};

const keyOf = ({ pid, startTime }: ProcessEntry): string => `${pid} ${startTime}`;

function addDescendants(members: Set<ProcessEntry>, living: readonly ProcessEntry[]): void {
  const pids = new Set([...members].map(({ pid }) => pid));
  for (let sizeBefore = -1; sizeBefore !== pids.size;) {
    sizeBefore = pids.size;
    for (const entry of living) {
      if (!pids.has(entry.parent)) continue;
      pids.add(entry.pid);
      members.add(entry);
    }
  }
}

/** To one process, or with a negative number to a group. */
function send(to: number, signals: readonly NodeJS.Signals[]): void {
  for (const signal of signals) {
    try {
      process.kill(to, signal);
    } catch {
      // It has ended, or belongs to another user; the next look tells.
    }
  }
}
