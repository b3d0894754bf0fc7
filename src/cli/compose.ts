import { randomUUID } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import { loadConfig, type Config } from '../config';
import type { OwnCodeFiles } from '../agent/own-code-files';
import type { TemporalCli } from '../server/temporal-cli';
import type {
  Command,
  PrintCommand,
  RunCommand,
  ServerCommand,
  ServiceCommand,
  SettingsFlags,
} from './command';
import type { RunOptions } from '../transcript/message';
import { composeRun, offersOf, toSettingsChoice, withSettings } from './composed-run';
import { readMcpHost, refuseServers, withServers } from './own-servers';
import { CliError } from './cli-error';
import type { McpHost } from '../mcp/mcp-host';
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
    const mcpHost = await readMcpHost(command.settings);
    const run = withServers(await this.#composeRun(command), mcpHost);
    return print(command, {
      ...surroundings,
      openSession: this.#openSession(command.settings, { hostHooks, mcpHost }),
      run: withSettings(run, command.settings),
      offers: (options) => offersOf(this.#config, options),
      hostHooks,
      mcpHost,
    });
  }

  async run(command: RunCommand): Promise<number> {
    refuseServers(command.settings);
    const { runDetached } = await import('./run-detached.js');
    const surroundings = this.#surroundings();
    return runDetached(command, {
      ...surroundings,
      openSession: this.#openSession(command.settings),
      run: await this.#composeRun(command),
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
    const { sandboxCheck } = await import('./doctor/sandbox-check.js');
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
        checks.pricesCheck(config.home),
        sandboxCheck(process.env['PATH'] ?? ''),
        transcriptsCheck(async () => (await this.#host()).store),
      ],
    });
  }

  async crashTest(command: Of<'crash-test'>): Promise<number> {
    const { crashTest } = await import('../crash-test/crash-test.js');
    const stop = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => stop.abort(new Error(`The crash test was stopped by ${signal}.`)));
    }
    return crashTest(command, {
      ...this.#output,
      config: this.#config,
      cli: this.#cliSearch(),
      environment: process.env,
      signal: stop.signal,
    });
  }

  async service(command: ServiceCommand): Promise<number> {
    const { service } = await import('./service/service.js');
    const { toServiceRun } = await import('./service/service-run.js');
    const { runWords, serviceManagerOf } = await import('./service/service-manager.js');
    const { findServer } = await import('../server/local-server.js');
    const { findBackgroundWorker } = await import('./background.js');
    const config = this.#config;
    const run = toServiceRun(config, process.env);
    const configFolder = process.env['XDG_CONFIG_HOME'] ?? path.join(config.userHome, '.config');
    const { uid } = userInfo();
    const manager = serviceManagerOf(process.platform, run, {
      home: config.userHome,
      uid,
      configFolder,
    });
    if (manager === undefined) {
      throw new CliError(
        `There is no service manager for ${process.platform} here. Start it another way: everloop worker`,
      );
    }
    return service(command, {
      ...this.#output,
      manager,
      secretsFile: run.secretsFile,
      run: runWords,
      isServing: async () => ({
        worker: await findBackgroundWorker(await this.#host()),
        server: (await findServer(config.home)) !== undefined,
      }),
    });
  }

  async worker(command: Of<'worker'>): Promise<number> {
    const { worker } = await import('./worker.js');
    const { findBackgroundWorker, serveBackground } = await import('./background.js');
    const host = await this.#host({ files: command.files });
    return worker(command, {
      check: async () => host.ownCode?.check(),
      isServed: () => findBackgroundWorker(host),
      serve: (signal) => serveBackground(host, signal),
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
  #openSession(settings?: SettingsFlags, hosted: HostedParts = {}): OpenSession {
    return async (request) => {
      const { openSession } = await import('./open-session.js');
      return openSession(await this.#host({ settings, hosted }), request);
    };
  }

  async #host({ settings, hosted, files = [] }: HostParts = {}): Promise<SessionHost> {
    const { createSessionHost } = await import('./session-host.js');
    return createSessionHost({
      config: this.#config,
      settings: { ...toSettingsChoice(settings), ...hosted },
      version: this.#output.version,
      cli: this.#cliSearch(),
      environment: process.env,
      tell: (line) => this.#tell(line),
      ownCode: await this.#ownCode(files),
    });
  }

  async #ownCode(files: readonly string[]): Promise<OwnCodeFiles> {
    const { OwnCodeFiles } = await import('../agent/own-code-files.js');
    const cacheFolder = path.join(this.#config.home, 'cache', 'modules');
    const { home } = this.#config;
    return new OwnCodeFiles({ files, cwd: process.cwd(), cacheFolder, home });
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

  #composeRun(command: PrintCommand | RunCommand): Promise<RunOptions> {
    return composeRun(command, {
      config: this.#config,
      ownCode: () => this.#ownCode([]),
      tell: (line) => this.#tell(line),
    });
  }

  #cliSearch() {
    return {
      configured: this.#config.temporalCli,
      env: process.env,
      cacheFolder: path.join(this.#config.home, 'cache', 'temporal'),
      onProgress: (line: string) => this.#tell(line),
    };
  }

  #tell(line: string): void {
    void this.#output.stderr.write(`${line}\n`);
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

interface HostParts {
  readonly settings?: SettingsFlags | undefined;
  readonly hosted?: HostedParts;
  /** Of `--tools`. */
  readonly files?: readonly string[];
}

/** What this process has of a client that it belongs to. */
interface HostedParts {
  readonly hostHooks?: HostHooks;
  readonly mcpHost?: McpHost;
}
