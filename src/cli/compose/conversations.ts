import { userInfo } from 'node:os';
import { refuseServers, readMcpHost, withServers } from '../own-servers';
import { offersOf, withSettings } from '../composed-run';
import type { InteractiveCommand, PrintCommand, RunCommand } from '../command';
import type { Of, ThisProcess } from './this-process';

/** Commands that talk with a session, each with what it needs from this process. */
export class Conversations {
  readonly #here: ThisProcess;

  constructor(here: ThisProcess) {
    this.#here = here;
  }

  async print(command: PrintCommand): Promise<number> {
    const { print } = await import('../print.js');
    const surroundings = this.#here.surroundings();
    const { HostHooks } = await import('../../hooks/host-hooks.js');
    const hostHooks = new HostHooks();
    const mcpHost = await readMcpHost(command.settings);
    const run = withServers(await this.#here.composeRun(command), mcpHost);
    return print(command, {
      ...surroundings,
      openSession: this.#here.openSession(command.settings, { hostHooks, mcpHost }),
      run: withSettings(run, command.settings),
      offers: (options) => offersOf(this.#here.config, options),
      hostHooks,
      mcpHost,
      keepsFiles: isOn(process.env['CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING']),
    });
  }

  async interactive(command: InteractiveCommand): Promise<number> {
    const { interactive } = await import('../../terminal/interactive.js');
    const mcpHost = await readMcpHost(command.settings);
    const run = withServers(await this.#here.composeRun(command), mcpHost);
    const { home } = this.#here.config;
    return interactive(command, {
      ...this.#here.surroundings(),
      input: process.stdin,
      // Descriptor 1 may be the standard error: Node tells of a new size of these two alone.
      size: process.stdout.isTTY ? process.stdout : process.stderr,
      environment: process.env,
      home,
      by: userInfo().username,
      openSession: this.#here.openSession(command.settings, { mcpHost }),
      run: withSettings(run, command.settings),
      commands: async () => (await offersOf(this.#here.config, run)).commands,
      sessions: async () => {
        const { listSessions } = await import('../session-states.js');
        return listSessions(await this.#here.host());
      },
      ensureBackground: async () => {
        const { ensureBackgroundWorker } = await import('../background.js');
        await ensureBackgroundWorker(await this.#here.host());
      },
      onTell: (listener) => this.#here.tellTo(listener),
    });
  }

  async run(command: RunCommand): Promise<number> {
    refuseServers(command.settings);
    const { runDetached } = await import('../run-detached.js');
    const surroundings = this.#here.surroundings();
    return runDetached(command, {
      ...surroundings,
      openSession: this.#here.openSession(command.settings),
      run: await this.#here.composeRun(command),
    });
  }

  async attach(command: Of<'attach'>): Promise<number> {
    const { attach } = await import('../attach.js');
    return attach(command, { ...this.#here.surroundings(), openSession: this.#here.openSession() });
  }

  async stop(command: Of<'stop'>): Promise<number> {
    const { stop } = await import('../stop.js');
    return stop(command, {
      ...this.#here.surroundings(),
      openSession: this.#here.openSession(),
      select: (selectors) => this.#here.select(selectors),
    });
  }
}

const isOn = (value: string | undefined): boolean => value === 'true' || value === '1';
