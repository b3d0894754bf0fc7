import { readLines, type Line } from './line-reader';
import { lookAt } from './file-identity';
import { toStoreError } from './disk-error';
import { Serial } from './serial';

/** Builds an index from the lines of a growing file. */
export interface TailConsumer {
  /** The file is another one: forget everything. */
  reset(): void;
  /** Lines behind `end` come once more: forget those that were not settled. */
  rewind(): void;
  /** `settled`: this line and all before it are here to stay. `wait`: more must come first.
   *  `unreadable`: garbage; or, as the first new line, a sign that what was read before is no longer there. */
  line(line: Line): 'settled' | 'wait' | 'unreadable';
}

/** Feeds a consumer with a file once and then only with what is new. Costs one stat when nothing is. */
export class FileTail {
  private readonly serial = new Serial();
  private identity = '';
  private size = 0;
  /** Where the settled lines end. What lies behind is a write under way, or a torn tail. */
  end = 0;

  constructor(
    readonly path: string,
    private readonly consumer: TailConsumer,
  ) {}

  /** Looks into the index when it is up to date; nothing can change it between the update and the look. */
  async look<T>(into: () => T): Promise<T> {
    const now = lookAt(this.path);
    if (now.identity === this.identity && now.size === this.size) return into();
    return this.serial.run(async () => {
      await this.read();
      return into();
    });
  }

  /** Takes over what this process has just appended without reading it again. */
  async advance(start: number, length: number, add: () => void): Promise<void> {
    await this.serial.run(async () => {
      const { identity } = lookAt(this.path);
      if (this.end !== start || (start > 0 && identity !== this.identity)) return this.read();
      add();
      this.identity = identity;
      this.end = start + length;
      this.size = this.end;
    });
  }

  /** Frees the memory; the next look reads the file again. */
  async forget(): Promise<void> {
    await this.serial.run(async () => this.startOver(''));
  }

  private async read(): Promise<void> {
    const now = lookAt(this.path);
    if (now.identity !== this.identity || now.size < this.end) this.startOver(now.identity);
    if (now.size > this.end && (await this.readFrom(this.end, now.size)) === 'lost') {
      // What was settled had been taken back by a failed append in another process, and the file grew again.
      this.startOver(now.identity);
      await this.readFrom(0, now.size);
    }
    this.size = now.size;
  }

  private async readFrom(from: number, to: number): Promise<'read' | 'lost'> {
    this.consumer.rewind();
    try {
      for await (const lines of readLines(this.path, from, to)) {
        for (const line of lines) {
          const outcome = this.consumer.line(line);
          if (outcome === 'unreadable' && line.start === from && from > 0) return 'lost';
          if (outcome !== 'wait') this.end = line.end;
        }
      }
      return 'read';
    } catch (error) {
      throw toStoreError(error, 'read', this.path);
    }
  }

  private startOver(identity: string): void {
    this.consumer.reset();
    this.identity = identity;
    this.end = 0;
    this.size = 0;
  }
}
