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
  readonly home: string;
  readonly folder: string;
  /** The part of every path in it that no other run has. */
  readonly name: string;

  /** `within`: a home that other runs share, which `remove` would take from them. Absent: one of its own. */
  constructor(
    files: Readonly<Record<string, string>>,
    within?: { readonly home: string; readonly name: string },
  ) {
    this.home = within?.home ?? realpathSync(mkdtempSync(join(tmpdir(), 'everloop-crash-')));
    this.folder = join(this.home, within?.name ?? 'workspace');
    this.name = within?.name ?? basename(this.home);
    mkdirSync(this.folder);
    for (const [name, content] of Object.entries(files)) {
      const file = join(this.folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, content);
    }
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
