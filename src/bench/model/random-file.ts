import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const LINE_CHARS = 100;

/** Text that no two calls make alike, in lines of a hundred characters. */
export function randomText(bytes: number): string {
  const text = randomBytes(Math.ceil(bytes * 0.75)).toString('base64url');
  const lines = text.match(new RegExp(`.{1,${LINE_CHARS - 1}}`, 'g')) ?? [];
  return `${lines.join('\n')}\n`.slice(0, bytes);
}

/** Returns the path. */
export function writeRandomFile(path: string, bytes: number): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, randomText(bytes));
  return path;
}
