import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Durable } from './durable';
import { kill } from './kill';
import { transpiled } from './transpiled';
import { workflowBundle } from './workflow-bundle';

/** A Worker of a session in a process of its own, to be killed. */
export class WorkerProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  /** As a command begins its own: the session is its before anything of it runs. */
  static startOwner(durable: Durable): Promise<WorkerProcess> {
    return WorkerProcess.start(durable, {}, [durable.sessionHandle.workflowId]);
  }

  /** Resolves when it polls. `env`: beside what every Worker has. Fails: Error when it leaves before. */
  static async start(
    { config, model, address, session }: Durable,
    env: Readonly<Record<string, string>> = {},
    serves: readonly string[] = [],
  ): Promise<WorkerProcess> {
    const child = spawn(
      process.execPath,
      [
        transpiled(join(__dirname, 'worker-child.ts')),
        address,
        session.meta.taskQueue,
        await workflowBundle(),
        ...serves,
      ],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: {
          PATH: process.env['PATH'],
          HOME: config.userHome,
          EVERLOOP_HOME: config.home,
          CLAUDE_CONFIG_DIR: config.configDir,
          ANTHROPIC_BASE_URL: model.url,
          ANTHROPIC_API_KEY: 'test-key',
          ...env,
        },
      },
    );
    const up = once(child.stdout, 'data');
    const left = once(child, 'exit').then(([code]) => {
      throw new Error(`The Worker process left with code ${String(code)} before it polled.`);
    });
    await Promise.race([up, left]);
    left.catch(() => undefined);
    return new WorkerProcess(child);
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name);
  }

  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void> {
    return kill(this.#child);
  }
}
