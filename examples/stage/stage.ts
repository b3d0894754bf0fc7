import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openModel } from './model';

export { calls, says } from './model';

/** The command line, as `npx everloop` would find it. */
export const EVERLOOP = join(__dirname, '..', '..', 'bin', 'everloop');

/** Where an example plays: a home folder of its own, so that it meets none of your sessions; your Temporal server,
 *  so that its UI shows what happens; and who plays the model. */
export interface Stage {
  /** Of every process of everloop. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A new folder with these files. */
  folder(name: string, files?: Readonly<Record<string, string>>): string;
  /** Runs a command to its end. Resolves with what it printed. Fails: when its exit code is not 0. */
  everloop(cwd: string, ...args: readonly string[]): Promise<string>;
  /** Starts the background Worker. Commands that need one would do so; this one ends with the stage. */
  startWorker(): Promise<void>;
  /** Ends what runs and removes the folders. `keep`: they stay. */
  close(how?: { readonly keep: boolean }): Promise<void>;
}

export async function openStage(replies: readonly object[]): Promise<Stage> {
  const root = mkdtempSync(join(tmpdir(), 'everloop-example-'));
  const home = join(root, 'home');
  mkdirSync(home);
  const temporal = await serverEnvironment();
  const model = await openModel(replies);
  const environment = {
    ...process.env,
    ...temporal,
    ...model.environment,
    EVERLOOP_HOME: home,
    CLAUDE_CONFIG_DIR: join(root, 'claude'),
  };
  let worker: ChildProcess | null = null;
  return {
    environment,
    folder(name, files = {}) {
      const folder = join(root, name);
      mkdirSync(folder);
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        writeFileSync(join(folder, file), text);
      }
      return folder;
    },
    everloop: (cwd, ...args) => run(args, { cwd, env: environment }),
    async startWorker() {
      worker = spawn(process.execPath, [EVERLOOP, 'worker'], {
        env: environment,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      await untilItServes(worker, home);
    },
    async close({ keep } = { keep: false }) {
      if (worker !== null) await end(worker);
      await model.close();
      if (!keep) rmSync(root, { recursive: true, force: true });
    },
  };
}

/** The server that TEMPORAL_ADDRESS names, else the local one, which is started if it does not run, and stays. */
async function serverEnvironment(): Promise<Readonly<Record<string, string>>> {
  if (process.env['TEMPORAL_ADDRESS']) return {};
  const started = await run(['server', 'start', '--json'], { env: process.env });
  const { address } = JSON.parse(started) as { readonly address: string };
  // A profile of a server elsewhere is not meant for this one.
  return { TEMPORAL_ADDRESS: address, TEMPORAL_CONFIG_FILE: join(tmpdir(), 'no-temporal.toml') };
}

async function run(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env: NodeJS.ProcessEnv },
): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [EVERLOOP, ...args], options);
  return stdout.trim();
}

/** A Worker that serves has left a note in the home folder. */
async function untilItServes(worker: ChildProcess, home: string): Promise<void> {
  const notes = join(home, 'background');
  const isServing = (): boolean =>
    existsSync(notes) && readdirSync(notes).some((name) => name.endsWith('.json'));
  while (!isServing()) {
    if (worker.exitCode !== null) {
      throw new Error(`everloop worker ended with exit code ${String(worker.exitCode)}.`);
    }
    await wait(50);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill();
  await gone;
}
