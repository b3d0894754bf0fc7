import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './repository';

const OPTIONS = [
  '--noEmit',
  '--strict',
  '--skipLibCheck',
  ...['--target', 'es2022', '--module', 'node20'],
  ...['--types', 'node', '--typeRoots', join(ROOT, 'node_modules', '@types')],
];

/** What the compiler says against programs of readers, with the types of the package; empty: nothing. */
export async function complaintsAbout(files: readonly string[], cwd: string): Promise<string> {
  if (files.length === 0) return '';
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  return new Promise((resolve) => {
    execFile(process.execPath, [compiler, ...OPTIONS, ...files], { cwd }, (_, stdout) =>
      resolve(stdout),
    );
  });
}
