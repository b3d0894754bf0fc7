import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { temporalAddress } from '../support/temporal';

export const EXAMPLES = path.join(__dirname, '..', '..', 'examples');

/** Without it, `everloop` is the source; this is the package as its users have it: built. */
const NO_PATHS = require.resolve('@tsconfig/node20/tsconfig.json');

interface Ran {
  readonly stdout: string;
  /** What the example has left in its folder for temporary files. */
  readonly left: readonly string[];
}

/** Runs an example as somebody would who has a Temporal server and no key for a model.
 *  Fails: when its exit code is not 0. */
export async function runExample(name: string): Promise<Ran> {
  const home = newHome();
  try {
    const example = startExample(name, {
      HOME: home,
      TMPDIR: home,
      TEMPORAL_ADDRESS: temporalAddress(),
    });
    const stdout = await outputOf(example);
    const left = readdirSync(home).filter((entry) => /^everloop-(example|script)-/.test(entry));
    return { stdout, left };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

/** All that it prints until it ends. Fails: when its exit code is not 0. */
export async function outputOf(example: ChildProcess): Promise<string> {
  const ended = once(example, 'exit') as Promise<[number | null]>;
  const [stdout, [code]] = await Promise.all([text(example.stdout!), ended]);
  if (code === 0) return stdout;
  throw new Error(`The example ended with exit code ${String(code)}, after:\n${stdout}`);
}

/** Starts it in a process group of its own. */
export function startExample(
  name: string,
  environment: Readonly<Record<string, string>>,
  cwd: string = EXAMPLES,
): ChildProcess {
  const file = path.join(EXAMPLES, `${name}.ts`);
  const example = spawn(process.execPath, ['--require', require.resolve('tsx/cjs'), file], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], TSX_TSCONFIG_PATH: NO_PATHS, ...environment },
  });
  running.add(example);
  example.once('exit', () => running.delete(example));
  return example;
}

const running = new Set<ChildProcess>();
/** A test that has run out of time leaves its example behind. */
afterAll(() => {
  for (const { pid } of running) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
});

/** A folder that stands for somebody's home, without settings and sessions. */
export const newHome = (): string => realpathSync(mkdtempSync(path.join(tmpdir(), 'examples-')));
