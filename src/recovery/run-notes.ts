import { join } from 'node:path';
import { disk } from '../disk/disk';
import type { LeaseOwner } from '../transcript/store';
import { readFirstSlot, readSlots, SlotFile } from './slot-file';

/** What a Worker is doing, on disk, so that its successor can give it up at once instead of waiting for timeouts.
 *  One file a Worker; no fsync: a power failure takes the server with it. */
export interface RunNotes {
  /** Notes an attempt; the result takes the note away. */
  noteAttempt(attempt: RunningAttempt): () => void;
  /** Takes everything away: this Worker leaves in order. */
  clear(): void;
}

interface RunningAttempt {
  /** Base64 task token: whoever has it can report for the attempt. */
  readonly token: string;
  readonly workflowId: string;
  readonly runId: string;
}

/** What one Worker left behind. */
export interface LeftNotes {
  readonly owner: LeaseOwner;
  readonly file: string;
  readonly attempts: readonly RunningAttempt[];
  /** Workflows whose next task would wait for this Worker's sticky queue. */
  readonly workflowIds: readonly string[];
}

/** One line of the file. */
type Note =
  | { readonly owner: LeaseOwner }
  | { readonly attempt: RunningAttempt }
  | { readonly workflowId: string };

/** The Workflows that were active last. One that is not among them waits a second longer for its next task. */
const MOST_WORKFLOWS = 256;
const SUFFIX = '.notes';

export function createRunNotes(home: string, owner: LeaseOwner): RunNotes {
  const file = notesFile(home, owner.workerId);
  const begin = (): OpenNotes => {
    disk.mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 });
    return new OpenNotes(file, owner);
  };
  let notes = begin();

  return {
    noteAttempt(attempt) {
      // A Worker that was stopped for a while looks dead: whoever rescued its work has cleared its notes away.
      if (notes.isGone) {
        notes.close();
        notes = begin();
      }
      return notes.add(attempt);
    },
    clear() {
      notes.close();
      disk.rmSync(file, { force: true });
    },
  };
}

class OpenNotes {
  private readonly slots: SlotFile;
  /** Slot of each noted Workflow, the one that was active last at the end. */
  private readonly workflows = new Map<string, number>();

  constructor(file: string, owner: LeaseOwner) {
    this.slots = new SlotFile(file);
    this.slots.put(toLine({ owner }));
  }

  get isGone(): boolean {
    return this.slots.isGone;
  }

  add(attempt: RunningAttempt): () => void {
    this.addWorkflow(attempt.workflowId);
    const slot = this.slots.put(toLine({ attempt }));
    return () => this.slots.blank(slot);
  }

  close(): void {
    this.slots.close();
  }

  private addWorkflow(workflowId: string): void {
    const known = this.workflows.get(workflowId);
    this.workflows.delete(workflowId);
    this.workflows.set(workflowId, known ?? this.newSlot(toLine({ workflowId })));
  }

  private newSlot(line: string): number {
    const [oldest] = this.workflows;
    if (oldest === undefined || this.workflows.size < MOST_WORKFLOWS) return this.slots.put(line);
    const [workflowId, slot] = oldest;
    this.workflows.delete(workflowId);
    this.slots.replace(slot, line);
    return slot;
  }
}

/** Notes of all Workers of this home, whether they live or not. */
export function readRunNotes(home: string): readonly LeftNotes[] {
  return notingWorkers(home).flatMap((workerId) => {
    const file = notesFile(home, workerId);
    const notes = notesIn(file);
    const [owner] = notes.flatMap((note) => ('owner' in note ? note.owner : []));
    if (owner === undefined) return [];
    const attempts = notes.flatMap((note) => ('attempt' in note ? note.attempt : []));
    const workflowIds = notes.flatMap((note) => ('workflowId' in note ? note.workflowId : []));
    return [{ owner, file, attempts, workflowIds }];
  });
}

/** Ids of all Workers of this home that have notes. One look into a folder. */
export function notingWorkers(home: string): readonly string[] {
  return namesIn(join(home, 'run')).flatMap((name) =>
    name.endsWith(SUFFIX) ? name.slice(0, -SUFFIX.length) : [],
  );
}

/** Whose notes these are; undefined: they went away, or are being begun. */
export function readNotesOwner(home: string, workerId: string): LeaseOwner | undefined {
  try {
    const note = fromLine(readFirstSlot(notesFile(home, workerId)) ?? '');
    return note !== undefined && 'owner' in note ? note.owner : undefined;
  } catch {
    return undefined;
  }
}

const notesFile = (home: string, workerId: string): string =>
  join(home, 'run', `${workerId}${SUFFIX}`);

function namesIn(folder: string): readonly string[] {
  try {
    return disk.readdirSync(folder);
  } catch {
    return [];
  }
}

/** None: the file went away meanwhile. */
function notesIn(file: string): readonly Note[] {
  try {
    return readSlots(file).flatMap((line) => fromLine(line) ?? []);
  } catch {
    return [];
  }
}

const toLine = (note: Note): string => JSON.stringify(note);

/** undefined: its writer died in the middle. */
function fromLine(line: string): Note | undefined {
  try {
    const note: unknown = JSON.parse(line);
    const isWhole =
      (has(note, 'owner') && has(note.owner, 'workerId', 'host', 'socket')) ||
      (has(note, 'attempt') && has(note.attempt, 'token', 'workflowId', 'runId')) ||
      has(note, 'workflowId');
    return isWhole ? (note as unknown as Note) : undefined;
  } catch {
    return undefined;
  }
}

function has<Key extends string>(
  value: unknown,
  ...keys: readonly Key[]
): value is Record<Key, unknown> {
  return typeof value === 'object' && value !== null && keys.every((key) => key in value);
}
