import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const ROOT = join(__dirname, '..', '..');

/** A file or folder of the repository has just this name, in just these letters. */
export function isInRepository(path: string): boolean {
  let folder = ROOT;
  for (const name of path.split('/').filter((part) => part !== '' && part !== '.')) {
    if (!existsSync(folder) || !readdirSync(folder).includes(name)) return false;
    folder = join(folder, name);
  }
  return true;
}

export function hasScript(name: string): boolean {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  return Object.hasOwn(scripts, name);
}
