import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
/** What a program of this page imports beside the package. */
const BESIDE = ['zod', '@temporalio', '@types', 'typescript', 'undici-types'];

/** A folder outside of the repository in which the packed package is installed, with the files of
 *  docs/own-tools.md. What the package depends on is taken from the repository, so that no registry is asked. */
export function installPackage(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-package-')));
  const packed = execFileSync(
    'npm',
    ['pack', '--ignore-scripts', '--json', '--pack-destination', folder],
    { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  );
  const [{ filename }] = JSON.parse(packed) as [{ readonly filename: string }];
  const target = join(folder, 'node_modules', 'everloop');
  mkdirSync(target, { recursive: true });
  execFileSync('tar', ['xzf', join(folder, filename), '-C', target, '--strip-components=1']);
  symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'));
  for (const name of BESIDE) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  for (const [name, text] of snippets()) writeFileSync(join(folder, name), text);
  return folder;
}

/** Files of the page: each begins with its name. */
function snippets(): readonly (readonly [name: string, text: string])[] {
  const page = readFileSync(join(ROOT, 'docs', 'own-tools.md'), 'utf8');
  return [...page.matchAll(/```ts\n(\/\/ (\S+)\n[^]*?)```/g)].map(([, text = '', name = '']) => [
    name,
    text,
  ]);
}
