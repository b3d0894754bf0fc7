import { randomBytes } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { disk } from '../../disk/disk';
import type { FollowedEntry, LiveEvent, LogCursor, LogEntry } from '../session-log';
import type { Lease, LiveWriter, SessionLog } from '../store';
import { AppendFile } from './append-file';
import { FolderWatch } from './folder-watch';
import type { Fence, LeaseFolder } from './lease-folder';
import { LiveFolder } from './live-folder';
import { fromCursor, headerLine, toCursor } from './log-cursor';
import { endOf, readOn } from './log-reader';
import { Serial } from './serial';
import type { SessionFolder } from './session-folder';

/** The log file of one session. Entries do not wait for the disk, except the end of a query: the transcript is
 *  the truth, and what a power cut may take from the log can be read there. A lost process takes nothing. */
export class FileLog implements SessionLog {
  private readonly file: AppendFile;
  private readonly writes = new Serial();
  private readonly watch: FolderWatch;
  private readonly live: LiveFolder;

  constructor(
    private readonly folder: SessionFolder,
    private readonly leases: LeaseFolder,
    /** Makes the session's folder if it is not there yet. */
    private readonly ensureFolder: () => Promise<void>,
  ) {
    this.file = new AppendFile(folder.log, { tornFolder: folder.torn, keepsWholeLines: true });
    this.watch = new FolderWatch(folder.path);
    this.live = new LiveFolder(folder.live);
  }

  get path(): string {
    return this.folder.log;
  }

  async append(lease: Lease, entries: readonly LogEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const fence = this.leases.fence(lease);
    await this.writes.run(async () => {
      const size = await this.file.cutHalfLine(fence);
      const header = size === 0 ? headerLine(randomBytes(4).toString('hex')) : '';
      const at = new Date().toISOString();
      const lines = entries.map((entry) => `${JSON.stringify({ at, entry })}\n`);
      const durable = entries.some((entry) => entry.type === 'query_ended');
      await this.file.append(fence, { text: header + lines.join(''), durable });
      this.watch.wake(basename(this.path));
    });
  }

  async *follow(from: LogCursor | null, signal: AbortSignal): AsyncGenerator<FollowedEntry, void> {
    let place = fromCursor(from);
    const name = basename(this.path);
    await this.ensureFolder();
    this.watch.enter();
    try {
      while (!signal.aborted) {
        const version = this.watch.version(name);
        const read = readOn(this.path, place);
        if (read === undefined && !disk.existsSync(dirname(this.path))) return;
        for (const followed of read === undefined ? [] : toEntries(read)) {
          yield followed;
          if (isAborted(signal)) return;
        }
        place = read?.next ?? place;
        if (read === undefined || read.lines.length === 0) {
          await this.watch.changed(name, version, signal);
        }
      }
    } finally {
      this.watch.leave();
    }
  }

  async *read(): AsyncGenerator<FollowedEntry, void> {
    for (let place = fromCursor(null); ;) {
      const read = readOn(this.path, place);
      if (read === undefined || read.lines.length === 0) return;
      yield* toEntries(read);
      place = read.next;
    }
  }

  async end(): Promise<LogCursor> {
    return Promise.resolve(toCursor(endOf(this.path)));
  }

  openLive(lease: Lease): Promise<LiveWriter> {
    return this.live.open(lease, this.leases.fence(lease));
  }

  followLive(live: string, signal: AbortSignal): AsyncGenerator<LiveEvent, void> {
    return this.live.follow(live, signal);
  }

  /** For the next lease holder. */
  async cutTornTail(fence: Fence): Promise<void> {
    await this.writes.run(() => this.file.cutHalfLine(fence));
  }

  async drained(): Promise<void> {
    await this.writes.drained();
  }

  /** Fails: StoreError when a failed append can still not be taken back. */
  async settled(): Promise<void> {
    await this.writes.run(() => this.file.settle());
  }

  /** Removes the live files in which no stream is under way. */
  async endLive(): Promise<void> {
    await this.live.rest();
  }

  async rest(): Promise<void> {
    await this.writes.run(async () => this.file.close());
    await this.endLive();
  }
}

function* toEntries({
  lines,
  next,
}: NonNullable<ReturnType<typeof readOn>>): Generator<FollowedEntry> {
  for (const { text, end: offset } of lines) {
    const followed = fromLogText(text);
    if (followed === undefined) continue;
    yield { cursor: toCursor({ generation: next.generation, offset }), ...followed };
  }
}

/** A consumer may abort between two entries; the compiler cannot know. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** undefined: a line that cannot be read. Followers skip it rather than stop: what it said is in the transcript. */
function fromLogText(text: string): { at: string; entry: LogEntry } | undefined {
  try {
    const { at, entry } = JSON.parse(text) as { at: string; entry: LogEntry };
    return { at, entry };
  } catch {
    return undefined;
  }
}
