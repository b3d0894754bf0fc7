import { rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { entrySource } from './entry-source';
import { inPlace } from './in-place';
import { BUNDLE, CODE_CACHE, DIST, loadCommand } from './load-command';

/** Native code, what only a build of Workflows needs, and what few commands load: they stay where they are. */
const EXTERNAL = [
  '@temporalio/core-bridge',
  '@swc/core',
  'webpack',
  '@vscode/ripgrep',
  'jiti',
  'pg',
];

/** Part of the build: makes one file of the command line, and compiles it. */
async function main(): Promise<void> {
  // A cache beside another bundle would be believed.
  rmSync(CODE_CACHE, { force: true });
  await build({
    stdin: { contents: entrySource(), resolveDir: DIST, sourcefile: 'command-entry.js' },
    outfile: BUNDLE,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    keepNames: true,
    banner: { js: 'const bundleFolder = __dirname;' },
    // Code that comes from a cache cannot import dynamically.
    supported: { 'dynamic-import': false },
    external: EXTERNAL,
    plugins: [inPlace],
    logLevel: 'warning',
    logOverride: { 'require-resolve-not-external': 'silent', 'empty-import-meta': 'error' },
  });
  const { script, exports } = loadCommand();
  exports.load();
  writeFileSync(CODE_CACHE, script.createCachedData());
}

void main();
