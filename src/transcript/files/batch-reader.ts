import type { TranscriptLine } from './transcript-line';

/** Puts the lines of one append together again. An append counts only as a whole: what a crash left of one at
 *  the end of the file is not there for readers, and the next lease holder cuts it off. */
export class BatchReader<Of extends { readonly line: TranscriptLine }> {
  private pending: Of[] = [];

  constructor(
    private readonly on: {
      /** All lines of one append, or one line that belongs to none. */
      whole(lines: readonly Of[]): void;
      /** Part of an append, followed by lines of somebody who did not know about it. */
      broken(lines: readonly Of[]): void;
    },
  ) {}

  /** true: nothing is left open. */
  read(item: Of): boolean {
    const append = item.line.append;
    if (!this.continues(item.line)) this.interrupt();
    if (append === null) {
      this.on.whole([item]);
      return true;
    }
    this.pending.push(item);
    const isFirst = this.pending[0]?.line.append?.batch.index === 0;
    if (append.batch.index + 1 < append.batch.of) return false;
    if (isFirst) this.on.whole(this.pending);
    else this.on.broken(this.pending);
    this.pending = [];
    return true;
  }

  /** Something else follows: an append that is not complete now never will be. */
  interrupt(): void {
    if (this.pending.length > 0) this.on.broken(this.pending);
    this.pending = [];
  }

  /** Takes back the lines that are left open. */
  rewind(): readonly Of[] {
    const open = this.pending;
    this.pending = [];
    return open;
  }

  private continues(line: TranscriptLine): boolean {
    const last = this.pending.at(-1)?.line.append;
    return (
      line.append !== null &&
      last?.key === line.append.key &&
      line.append.batch.index === last.batch.index + 1
    );
  }
}
