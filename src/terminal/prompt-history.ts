import { appendFile, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';

const Line = z.object({ cwd: z.string(), text: z.string() });

/** Lines that are kept; the file is cut to half of it when it has more. */
const MOST_LINES = 2_000;
/** What the arrow keys reach. */
const MOST_RECALLED = 200;

/** What was typed in the terminals of a home folder, newest last. Its loss is no harm: nothing of it fails. */
export class PromptHistory {
  readonly #file: string;
  readonly #cwd: string;

  constructor(home: string, cwd: string) {
    this.#file = path.join(home, 'history.jsonl');
    this.#cwd = cwd;
  }

  /** Of the working folder, oldest first. */
  async recall(): Promise<readonly string[]> {
    const text = await readFile(this.#file, 'utf8').catch(() => '');
    const rows = text.split('\n').filter((row) => row !== '');
    if (rows.length > MOST_LINES) await this.#keep(rows.slice(-MOST_LINES / 2));
    const typed = rows.flatMap((row) => {
      const line = toLine(row);
      return line?.cwd === this.#cwd ? [line.text] : [];
    });
    return typed.slice(-MOST_RECALLED);
  }

  async add(text: string): Promise<void> {
    const row = `${JSON.stringify({ at: new Date().toISOString(), cwd: this.#cwd, text })}\n`;
    try {
      await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
      await appendFile(this.#file, row, { mode: 0o600 });
    } catch {
      // A full disk: the session itself says so.
    }
  }

  async #keep(rows: readonly string[]): Promise<void> {
    const fresh = `${this.#file}.${process.pid}`;
    try {
      await writeFile(fresh, `${rows.join('\n')}\n`, { mode: 0o600 });
      await rename(fresh, this.#file);
    } catch {
      // As above.
    }
  }
}

function toLine(row: string): z.infer<typeof Line> | undefined {
  try {
    return Line.parse(JSON.parse(row));
  } catch {
    return undefined;
  }
}
