import { performance } from 'node:perf_hooks';
import type { LiveEvent } from '../session-log';
import type { LiveWriter } from '../store';
import type { LiveFile } from './live-file';

const FLUSH_MS = 5;

/** Deltas of one model stream on their way into a live file. */
export class LiveStream implements LiveWriter {
  readonly name: string;
  private buffered = '';
  private timer: NodeJS.Timeout | null = null;
  private flushedAt = -FLUSH_MS;
  private isClosed = false;

  constructor(
    private readonly file: LiveFile,
    /** Takes the file back. */
    private readonly giveBack: (file: LiveFile) => Promise<void>,
  ) {
    this.name = file.beginStream();
  }

  write(event: LiveEvent): void {
    if (this.isClosed) return;
    this.buffered += `${JSON.stringify(event)}\n`;
    const waitMs = this.flushedAt + FLUSH_MS - performance.now();
    if (waitMs <= 0) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), waitMs);
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    this.flush();
    this.file.endStream();
    await this.giveBack(this.file);
  }

  private flush(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    const text = this.buffered;
    this.buffered = '';
    this.flushedAt = performance.now();
    if (text !== '') this.file.write(text);
  }
}
