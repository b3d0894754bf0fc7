import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';
import { loadConfig, type Config } from '../config';
import type { TemporalCli } from '../server/temporal-cli';
import type { Command, PrintCommand, RunCommand, ServerCommand, SettingsFlags } from './command';
import type { SettingsChoice } from '../activity-surroundings';
import type { RunOptions } from '../transcript/message';
import { defaultRunOptions, toRunOptions } from './run-options';
import type { HostHooks } from '../hooks/host-hooks';
import type { SessionHost } from './session-host';
import type { OpenSession } from './session-request';
import type { Surroundings } from './surroundings';

type Output = Pick<Surroundings, 'stdout' | 'stderr' | 'version'>;
type Of<Type extends Command['type']> = Extract<Command, { type: Type }>;

/** Each command with what it needs from this process. Modules are loaded by the command that needs them: the time
 *  to the first request counts. */
export class Composition {
  readonly #output: Output;
  readonly #config: Config;

  constructor(output: Output) {
    this.#output = output;
    this.#config = loadConfig(process.env, homedir());
  }

  async print(command: PrintCommand): Promise<number> {
    const { print } = await import('./print.js');
    const surroundings = this.#surroundings();
    const { HostHooks } = await import('../hooks/host-hooks.js');
    const hostHooks = new HostHooks();
    return print(command, {
      ...surroundings,
      openSession: this.#openSession(command.settings, hostHooks),
      run: await this.#runOptions(command),
      hostHooks,
    });
  }

  async run(command: RunCommand): Promise<number> {
    const { runDetached } = await import('./run-detached.js');
    const surroundings = this.#surroundings();
    return runDetached(command, {
      ...surroundings,
      openSession: this.#openSession(command.settings),
      run: await this.#runOptions(command),
    });
  }

  async attach(command: Of<'attach'>): Promise<number> {
    const { attach } = await import('./attach.js');
    return attach(command, { ...this.#surroundings(), openSession: this.#openSession() });
  }

  async stop(command: Of<'stop'>): Promise<number> {
    const { stop } = await import('./stop.js');
    return stop(command, { ...this.#surroundings(), openSession: this.#openSession() });
  }

  async server(command: ServerCommand): Promise<number> {
    const { server } = await import('./server.js');
    const { ensureServer, serverStatus, stopServer } = await import('../server/local-server.js');
    const { home } = this.#config;
    return server(command, {
      stdout: this.#output.stdout,
      start: () => ensureServer({ home, cli: this.#cliSearch() }),
      stop: () => stopServer(home),
      status: () => serverStatus(home),
    });
  }

  async doctor(command: Of<'doctor'>): Promise<number> {
    const { doctor } = await import('./doctor/doctor.js');
    const checks = await import('./doctor/checks.js');
    const { transcriptsCheck } = await import('./doctor/transcripts-check.js');
    const { serverStatus } = await import('../server/local-server.js');
    const config = this.#config;
    return doctor(command, {
      stdout: this.#output.stdout,
      checks: [
        checks.nodeCheck(process.versions.node),
        checks.homeCheck(config.home),
        checks.diskCheck(config.home),
        checks.cliCheck(config, () => this.#findCli()),
        checks.serverCheck(config, () => serverStatus(config.home)),
        checks.credentialsCheck(config),
        transcriptsCheck(async () => (await this.#host()).store),
      ],
    });
  }

  async worker(command: Of<'worker'>): Promise<number> {
    const { worker } = await import('./worker.js');
    const { serveBackground } = await import('./background.js');
    const host = await this.#host();
    return worker(command, {
      serve: (_options, signal) => serveBackground(host, signal),
      onStop: (listener) => {
        process.once('SIGINT', listener);
        process.once('SIGTERM', listener);
      },
    });
  }

  async list(command: Of<'list'>): Promise<number> {
    const { list } = await import('./list.js');
    const { listSessions } = await import('./session-states.js');
    const host = await this.#host();
    return list(command, { stdout: this.#output.stdout, sessions: () => listSessions(host) });
  }

  /** Loads what talks to Temporal only when a session is really opened. */
  #openSession(settings?: SettingsFlags, hostHooks?: HostHooks): OpenSession {
    return async (request) => {
      const { openSession } = await import('./open-session.js');
      return openSession(await this.#host(settings, hostHooks), request);
    };
  }

  async #host(settings?: SettingsFlags, hostHooks?: HostHooks): Promise<SessionHost> {
    const { createSessionHost } = await import('./session-host.js');
    return createSessionHost({
      config: this.#config,
      settings: { ...toSettingsChoice(settings), ...(hostHooks && { hostHooks }) },
      version: this.#output.version,
      cli: this.#cliSearch(),
      environment: process.env,
    });
  }

  #surroundings(): Surroundings {
    return {
      ...this.#output,
      stdin: { stream: process.stdin, isTerminal: process.stdin.isTTY },
      cwd: process.cwd(),
      apiKeySource: this.#config.apiKey ? 'ANTHROPIC_API_KEY' : 'none',
      clientReadsState: process.env['CLAUDE_CODE_SDK_READS_SESSION_STATE'] === '1',
      newId: randomUUID,
      now: () => new Date().toISOString(),
      onInterrupt: (listener) => process.on('SIGINT', listener),
    };
  }

  async #runOptions({ run, settings: flags }: PrintCommand | RunCommand): Promise<RunOptions> {
    const { loadSettings } = await import('../settings/settings.js');
    const { configDir } = this.#config;
    const cwd = process.cwd();
    const settings = await loadSettings({ cwd, configDir, ...toSettingsChoice(flags) });
    return toRunOptions(run, defaultRunOptions(this.#config, settings), cwd);
  }

  #cliSearch() {
    return {
      configured: this.#config.temporalCli,
      env: process.env,
      cacheFolder: path.join(this.#config.home, 'cache', 'temporal'),
      onProgress: (line: string) => void this.#output.stderr.write(`${line}\n`),
    };
  }

  /** A look, no download: a check must not change what it looks at. */
  async #findCli(): Promise<TemporalCli | undefined> {
    const { probeCli } = await import('../server/temporal-cli.js');
    const { cachedBinary, GO_VERSION, RELEASE_VERSION } = await import('../server/download-cli.js');
    const { configured, cacheFolder } = this.#cliSearch();
    const cached = [RELEASE_VERSION, GO_VERSION].map((one) => cachedBinary(cacheFolder, one));
    for (const binary of configured === null ? ['temporal', ...cached] : [configured]) {
      const cli = await probeCli(binary).catch(() => undefined);
      if (cli) return cli;
    }
    return undefined;
  }
}

function toSettingsChoice(flags: SettingsFlags | undefined): SettingsChoice {
  return { cli: flags?.extra ?? null, ...(flags?.sources && { sources: flags.sources }) };
}
