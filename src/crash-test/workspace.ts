import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** A folder of one run: its home, and the workspace in it. */
export class Workspace {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-crash-')));
  readonly folder = join(this.home, 'workspace');

  constructor(files: Readonly<Record<string, string>>) {
    mkdirSync(this.folder);
    for (const [name, content] of Object.entries(files)) {
      const file = join(this.folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
  }

  /** The part of every path in it that no other run has. */
  get name(): string {
    return basename(this.home);
  }

  /** What is in it now, by relative path; bytes as Latin-1. */
  files(): Readonly<Record<string, string>> {
    const entries = readdirSync(this.folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile());
    const paths = files.map((entry) => join(entry.parentPath, entry.name)).sort();
    return Object.fromEntries(
      paths.map((file) => [file.slice(this.folder.length + 1), readFileSync(file, 'latin1')]),
    );
  }

  remove(): void {
    rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}
