import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Of a folder's own code, which the Worker runs with all its rights. */
export const OWN_CODE_NAME = /^everloop\.config\.[cm]?[jt]s$/;

/** Notes of each folder that may be written whether it has code of its own before a command runs there. What is there
 *  cannot be changed inside; what comes later may be a command's. */
export async function noteFoldersWithoutCode(
  home: string,
  folders: readonly string[],
): Promise<void> {
  for (const folder of folders) {
    const note = codeNoteOf(home, folder);
    if (existsSync(note)) continue;
    const names = await readdir(folder).catch(() => []);
    if (names.some((name) => OWN_CODE_NAME.test(name))) continue;
    await mkdir(path.dirname(note), { recursive: true, mode: 0o700 });
    await writeFile(note, `${folder}\n`, { mode: 0o600 });
  }
}

/** The note that keeps a folder's code from being run; null: it may be. `folder`: absolute, links resolved. */
export function findCodeNote(home: string, folder: string): string | null {
  const note = codeNoteOf(home, folder);
  return existsSync(note) ? note : null;
}

function codeNoteOf(home: string, folder: string): string {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
  return path.join(home, 'sandbox', 'without-code', name);
}
