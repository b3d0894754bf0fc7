import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ReplyFunction } from '../../src/scripted-model/script';
import { startScriptedModel, type ScriptedModel } from '../../src/scripted-model/scripted-model';
import { temporalAddress } from '../support/temporal';
import { freePort } from '../support/free-port';

const LAUNCHER = join(__dirname, '..', '..', 'bin', 'everloop');

/** `everloop worker --metrics --health` as people start it, with a home of its own and a scripted model. */
export class MeteredWorker {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #child: ChildProcess;

  private constructor(
    readonly model: ScriptedModel,
    readonly metricsPort: number,
    readonly healthPort: number,
    of: { readonly folder: string; readonly env: NodeJS.ProcessEnv },
  ) {
    this.#folder = of.folder;
    this.#env = of.env;
    const address = (port: number): string => `127.0.0.1:${port}`;
    this.#child = spawn(
      process.execPath,
      [LAUNCHER, 'worker', '--metrics', address(metricsPort), '--health', address(healthPort)],
      { env: of.env, stdio: ['ignore', 'ignore', 'inherit'] },
    );
  }

  /** Resolves when it is ready for work. `env`: beside what every command has. */
  static async start(script: ReplyFunction, env: NodeJS.ProcessEnv = {}): Promise<MeteredWorker> {
    const model = await startScriptedModel({ script });
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-metered-')));
    mkdirSync(join(folder, 'project'));
    const worker = new MeteredWorker(model, await freePort(), await freePort(), {
      folder,
      env: {
        PATH: process.env['PATH'],
        HOME: folder,
        EVERLOOP_HOME: join(folder, 'home'),
        CLAUDE_CONFIG_DIR: join(folder, 'claude'),
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: 'test-key',
        TEMPORAL_ADDRESS: temporalAddress(),
        ...env,
      },
    });
    await until(async () => (await worker.health('/readyz')).status === 200);
    return worker;
  }

  get project(): string {
    return join(this.#folder, 'project');
  }

  /** Runs a command in the project folder; resolves with what it wrote to stdout. */
  async everloop(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(LAUNCHER, args, {
      cwd: this.project,
      env: this.#env,
    });
    return stdout.trim();
  }

  async health(path: string): Promise<{ readonly status: number; readonly body: string }> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.healthPort}${path}`);
      return { status: response.status, body: await response.text() };
    } catch {
      return { status: 0, body: '' };
    }
  }

  async scrape(): Promise<string> {
    return (await fetch(`http://127.0.0.1:${this.metricsPort}/metrics`)).text();
  }

  async close(): Promise<void> {
    if (this.#child.exitCode === null && this.#child.kill('SIGTERM')) {
      await once(this.#child, 'exit');
    }
    await this.model.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Fails: Error after two minutes. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 120_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`It did not become so: ${holds.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
