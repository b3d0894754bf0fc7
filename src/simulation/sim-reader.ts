import type { LogCursor } from '../transcript/session-log';
import type { Observed } from './observed';
import type { SimMachine } from './sim-machine';
import { openSession } from './sim-store';

const RETRY_MS = 300;
const MOST_LOOKS = 30;
/** Of an entry: the reader goes away behind it, and comes back with the cursor. */
const LEAVES = 0.1;

/** Somebody who follows the session log, and goes on where they were whenever they come back. */
export class SimReader {
  private cursor: LogCursor | null = null;
  private isOver = false;

  constructor(
    private readonly machine: SimMachine,
    private readonly observed: Observed,
  ) {}

  async readOn(): Promise<void> {
    while (!this.isOver) {
      await this.machine.attempt(this.machine.newProcess('reader'), 'reads', () => this.follow());
      await this.machine.sleep(RETRY_MS);
    }
  }

  /** Resolves when it has come so far, or when it never will. */
  async hasSeen(last: LogCursor | undefined): Promise<void> {
    const { seen } = this.observed;
    for (let looks = 0; looks < MOST_LOOKS && last !== undefined && !seen.includes(last); looks++) {
      await this.machine.sleep(RETRY_MS);
    }
    this.isOver = true;
  }

  private async follow(): Promise<void> {
    const { log } = await openSession();
    const away = new AbortController();
    for await (const { cursor, entry } of log.follow(this.cursor, away.signal)) {
      this.cursor = cursor;
      this.observed.seen.push(cursor);
      if (entry.type === 'query_ended') this.observed.seenEnds.add(entry.promptId);
      if (this.machine.random.chance(LEAVES)) away.abort();
    }
  }
}
