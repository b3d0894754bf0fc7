import { execFile } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

const ROOT = join(__dirname, '..');
const BUNDLES_WITHIN_MS = 180_000;

/** An installed everloop. */
export interface Build {
  readonly name: string;
  readonly launcher: string;
}

/** What is changed in the compiled Workflows of the next build. `guarded`: all of it behind `patched`, as a build must
 *  be that replaces another one without versions. `unguarded`: a query has a new first command, which no history of an
 *  older build has. */
export type Change = 'guarded' | 'unguarded';

/** Marks histories that the next build began. */
export const PATCH = 'rolling-upgrade';

export const thisBuild: Build = { name: 'A', launcher: join(ROOT, 'bin', 'everloop') };

/** Installs the next build in an empty folder: this one, with other Workflows. */
export async function nextBuild(folder: string, change: Change): Promise<Build> {
  for (const part of ['bin', 'dist', 'package.json']) {
    cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const timer = 'await (0, workflow_1.sleep)(1);';
  const guarded = `if ((0, workflow_1.patched)('${PATCH}')) ${timer}`;
  insert(join(folder, 'dist/workflows/session.js'), 'const child = await', guarded);
  insert(
    join(folder, 'dist/workflows/query.js'),
    'const left = await',
    change === 'guarded' ? guarded : timer,
  );
  await run(process.execPath, [join(folder, 'dist/build-workflow-bundle.js')], {
    timeout: BUNDLES_WITHIN_MS,
  });
  return { name: 'B', launcher: join(folder, 'bin', 'everloop') };
}

function insert(file: string, before: string, code: string): void {
  const parts = readFileSync(file, 'utf8').split(before);
  if (parts.length !== 2) {
    throw new Error(
      `${file} has ${parts.length - 1} times "${before}", not once. Adapt builds.ts.`,
    );
  }
  writeFileSync(file, parts.join(`${code} ${before}`));
}
