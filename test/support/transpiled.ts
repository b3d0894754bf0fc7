import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** Path of a source file as plain JavaScript, for processes that tests start: one that loads TypeScript itself needs
 *  1.6 s of CPU more. All sources are transpiled once per run (1 s), to the same places of a tree of their own. */
export function transpiled(file: string): string {
  const home = process.env['EVERLOOP_TEST_SERVER_HOME'];
  if (!home) throw new Error('No EVERLOOP_TEST_SERVER_HOME: jest ran without its globalSetup.');
  const tree = join(home, 'transpiled');
  if (!existsSync(tree)) transpileAll(home, tree);
  return join(tree, relative(ROOT, file).replace(/\.ts$/, '.js'));
}

function transpileAll(home: string, tree: string): void {
  const draft = mkdtempSync(join(home, 'transpiled-'));
  const names = ['src', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
      .map((name) => join(folder, name)),
  );
  const args = ['--format=cjs', '--platform=node', '--target=node20', '--log-level=warning'];
  const esbuild = require.resolve('esbuild/bin/esbuild');
  execFileSync(esbuild, [...names, ...args, '--outbase=.', `--outdir=${draft}`], { cwd: ROOT });
  for (const name of ['node_modules', 'package.json']) {
    symlinkSync(join(ROOT, name), join(draft, name));
  }
  try {
    renameSync(draft, tree);
  } catch (error) {
    // Test files run side by side: another was first.
    if (!existsSync(tree)) throw error;
    rmSync(draft, { recursive: true });
  }
}
