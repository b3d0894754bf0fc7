import { dirname } from 'node:path';
import { disk } from '../../disk/disk';
import { makeFolder } from '../files/atomic-write';

/** Visits all records of a session, oldest first. */
export type ReadAll = (
  visit: (lines: readonly { readonly body: string }[]) => void,
) => Promise<void>;

/** A copy of the transcript on the disk of the host that writes the session, for hooks and tools, which are told its
 *  path. Nothing is ever read from it, so it neither waits for the disk nor fails an append. */
export class LocalTranscript {
  /** Number of records that this process knows to be in the file; null: it has not looked yet. */
  private end: number | null = null;

  constructor(readonly path: string) {}

  /** `end`: number of the last of these records. */
  async append(
    of: { readonly end: number; readonly bodies: readonly string[] },
    readAll: ReadAll,
  ): Promise<void> {
    const start = of.end - of.bodies.length;
    if (this.end !== null && this.end >= of.end) return;
    try {
      if (start === 0 || this.end !== start || !disk.existsSync(this.path)) {
        this.end = await this.writeAnew(readAll);
      } else {
        this.write('a', of.bodies);
        this.end = of.end;
      }
    } catch {
      this.end = null;
    }
  }

  private async writeAnew(readAll: ReadAll): Promise<number> {
    await makeFolder(dirname(this.path));
    this.write('w', []);
    let end = 0;
    await readAll((lines) => {
      const bodies = lines.map(({ body }) => body);
      this.write('a', bodies);
      end += bodies.length;
    });
    return end;
  }

  private write(flags: 'w' | 'a', bodies: readonly string[]): void {
    const fd = disk.openSync(this.path, flags, 0o600);
    try {
      for (const body of bodies) disk.writeSync(fd, `${body}\n`);
    } finally {
      disk.closeSync(fd);
    }
  }
}
