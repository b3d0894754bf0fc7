import { randomUUID } from 'node:crypto';
import { homedir, userInfo } from 'node:os';
import path from 'node:path';
import { loadConfig, type Config } from '../config';
import type { OwnCodeFiles } from '../agent/own-code-files';
import type { TemporalCli } from '../server/temporal-cli';
import type {
  Command,
  InteractiveCommand,
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
import type { StatusLine } from '../progress/status-line';
import type { Layout } from './output/layout';
import type { Operator } from './operator/operator';
import type { OpenSession } from './session-request';
import type { Surroundings } from './surroundings';

type Output = Pick<Surroundings, 'stdout' | 'stderr' | 'version'>;
type Of<Type extends Command['type']> = Extract<Command, { type: Type }>;

/** Each command with what it needs from this process. Modules are loaded by the command that needs them: the time
 *  to the first request counts. */
export class Composition {
  readonly #output: Output;
  readonly #config: Config;
  /** Takes lines for people while a screen is up; null: stderr does. */
  #listener: ((line: string) => void) | null = null;

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
      keepsFiles: isOn(process.env['CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING']),
    });
  }

  async interactive(command: InteractiveCommand): Promise<number> {
    const { interactive } = await import('../terminal/interactive.js');
    const mcpHost = await readMcpHost(command.settings);
    const run = withServers(await this.#composeRun(command), mcpHost);
    const { home } = this.#config;
    return interactive(command, {
      ...this.#surroundings(),
      input: process.stdin,
      // Descriptor 1 may be the standard error: Node tells of a new size of these two alone.
      size: process.stdout.isTTY ? process.stdout : process.stderr,
      environment: process.env,
      home,
      by: userInfo().username,
      openSession: this.#openSession(command.settings, { mcpHost }),
      run: withSettings(run, command.settings),
      commands: async () => (await offersOf(this.#config, run)).commands,
      sessions: async () => {
        const { listSessions } = await import('./session-states.js');
        return listSessions(await this.#host());
      },
      ensureBackground: async () => {
        const { ensureBackgroundWorker } = await import('./background.js');
        await ensureBackgroundWorker(await this.#host());
      },
      onTell: (listener) => (this.#listener = listener),
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
    return stop(command, {
      ...this.#surroundings(),
      openSession: this.#openSession(),
      select: (selectors) => this.#select(selectors),
    });
  }

  async server(command: ServerCommand): Promise<number> {
    const { server } = await import('./server.js');
    const { ensureServer, serverStatus, stopServer } = await import('../server/local-server.js');
    const { ATTRIBUTE_TYPES: searchAttributes } =
      await import('../visibility/search-attributes.js');
    const { home } = this.#config;
    return server(command, {
      stdout: this.#output.stdout,
      start: () => ensureServer({ home, cli: this.#cliSearch(), searchAttributes }),
      stop: () => stopServer(home),
      status: () => serverStatus(home),
    });
  }

  async doctor(command: Of<'doctor'>): Promise<number> {
    const { doctor } = await import('./doctor/doctor.js');
    const checks = await import('./doctor/checks.js');
    const { sandboxCheck } = await import('./doctor/sandbox-check.js');
    const { encryptionCheck } = await import('./doctor/encryption-check.js');
    const { storeCheck } = await import('./doctor/store-check.js');
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
        checks.searchAttributesCheck(() => this.#searchAttributesProblem()),
        checks.credentialsCheck(config),
        checks.pricesCheck(config.home),
        encryptionCheck(config),
        sandboxCheck(process.env['PATH'] ?? ''),
        config.store === null
          ? transcriptsCheck(async () => (await this.#host()).store)
          : storeCheck(config.store, config.home),
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
      stdout: this.#output.stdout,
      statusLine: await openStatusLine(),
      config: this.#config,
      cli: this.#cliSearch(),
      environment: process.env,
      signal: stop.signal,
    });
  }

  async scriptedModel(command: Of<'scripted_model'>): Promise<number> {
    const { scriptedModel } = await import('./scripted-model.js');
    return scriptedModel(command, this.#output);
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
    const config = this.#config;
    const host = await this.#host({
      files: command.files,
      metricsAddress: command.metricsAddress ?? config.metricsAddress,
      hasNativeWarnings: true,
    });
    return worker(command, {
      check: async () => host.ownCode?.check(),
      isServed: () => findBackgroundWorker(host),
      serve: (signal) =>
        serveBackground(host, signal, command.healthAddress ?? config.healthAddress),
      onStop: (listener) => {
        process.once('SIGINT', listener);
        process.once('SIGTERM', listener);
      },
    });
  }

  async steer(command: Of<'steer'>): Promise<number> {
    const { steer } = await import('./operator/steer.js');
    return this.#operate((operator) => steer(command, operator));
  }

  async pause(command: Of<'pause' | 'resume'>): Promise<number> {
    const { pause } = await import('./operator/pause.js');
    return this.#operate((operator) => pause(command, operator));
  }

  async adjust(command: Of<'adjust'>): Promise<number> {
    const { adjust } = await import('./operator/adjust.js');
    return this.#operate((operator) => adjust(command, operator));
  }

  async workspace(command: Of<'workspace'>): Promise<number> {
    if (command.action === 'ls') {
      const { listWorkspaces } = await import('./operator/list-workspaces.js');
      return this.#operate((operator) => listWorkspaces(command, operator));
    }
    const { moveSessions } = await import('./operator/move-sessions.js');
    return this.#operate((operator) => moveSessions(command, operator));
  }

  async schedule(command: Of<'schedule'>): Promise<number> {
    const { schedule } = await import('./operator/schedule.js');
    const { ScheduledPrompts } = await import('../schedule/scheduled-prompts.js');
    const { ensureBackgroundWorker } = await import('./background.js');
    const host = await this.#host();
    const connected = await host.connect();
    try {
      return await schedule(command, {
        ...this.#output,
        schedules: connected.client.schedule,
        prompts: new ScheduledPrompts(this.#config.home),
        place: host.store.place,
        taskQueue: host.homeQueue,
        cwd: process.cwd(),
        ensureWorker: () => ensureBackgroundWorker(host),
      });
    } finally {
      await connected.close();
    }
  }

  async replay(command: Of<'replay'>): Promise<number> {
    const { replay } = await import('./operator/replay.js');
    const { selectStored } = await import('./operator/select-sessions.js');
    const { createAnthropic } = await import('../activities/call-model/anthropic-client.js');
    const { find } = await import('./open-session.js');
    const host = await this.#host();
    const { sessionId } = await selectStored(command.session, host.store);
    // No Workflow retries here.
    const { messages } = createAnthropic(this.#config).withOptions({ maxRetries: 4 });
    return replay(command, {
      session: await find(host, sessionId),
      stdout: this.#output.stdout,
      callApi: (request, options) => messages.create(request, options),
    });
  }

  async rewind(command: Of<'rewind'>): Promise<number> {
    const { runRewind } = await import('./operator/rewind-session.js');
    const terminal = process.stdin.isTTY ? process.stdin : null;
    return runRewind(command, { host: await this.#host(), stdout: this.#output.stdout, terminal });
  }

  async delete(command: Of<'delete'>): Promise<number> {
    const { deleteSessions } = await import('./operator/delete.js');
    const { confirm } = await import('./operator/confirm.js');
    const terminal = process.stdin.isTTY ? process.stdin : null;
    return this.#operate((operator) =>
      deleteSessions(command, operator, terminal && (() => confirm(terminal))),
    );
  }

  async collect(command: Of<'collect'>): Promise<number> {
    const { collect } = await import('./operator/collect.js');
    const { confirm } = await import('./operator/confirm.js');
    const terminal = process.stdin.isTTY ? process.stdin : null;
    const of = { nowMs: Date.now(), confirm: terminal && (() => confirm(terminal)) };
    return this.#operate((operator) => collect(command, operator, of));
  }

  async fork(command: Of<'fork'>): Promise<number> {
    const { forkSession } = await import('./operator/fork-session.js');
    return forkSession(command, {
      ...this.#output,
      host: await this.#host(),
      ask: (print) => this.print(print),
    });
  }

  async approval(command: Of<'approval'>): Promise<number> {
    const { decideApproval } = await import('./operator/approvals.js');
    const { openServed } = await import('./operator/open-served.js');
    const { asOperator } = await import('./operator/operator.js');
    const host = await this.#host();
    return asOperator(host, this.#output.stdout, (operator) =>
      decideApproval(command, { ...operator, openServed: (id) => openServed(host, id) }),
    );
  }

  async list(command: Of<'list'>): Promise<number> {
    const { list } = await import('./list.js');
    const { listSessions } = await import('./session-states.js');
    const host = await this.#host();
    const { query } = command;
    return list(command, {
      stdout: this.#output.stdout,
      layout: command.json ? null : await this.#layout(),
      sessions: () => listSessions(host, query),
    });
  }

  async show(command: Of<'show_session'>): Promise<number> {
    if (command.page !== undefined) {
      const { showPage } = await import('./operator/show-page.js');
      const host = await this.#host();
      const folder = process.cwd();
      return showPage(command.session, command.page, { ...this.#output, host, folder });
    }
    const { show } = await import('./operator/show.js');
    const layout = command.json ? null : await this.#layout();
    return this.#operate((operator) => show(command, operator, layout));
  }

  async logs(command: Of<'logs'>): Promise<number> {
    const { logs } = await import('./operator/logs.js');
    const { findStore } = await import('./operator/find-store.js');
    const host = await this.#host();
    return logs(command, {
      ...this.#surroundings(),
      session: (selector) => findStore(host, selector),
    });
  }

  async keys(command: Of<'keys'>): Promise<number> {
    if (command.action === 'new') {
      const { newKeyLine } = await import('../encryption/encryption-key.js');
      await this.#output.stdout.write(`${newKeyLine(command.id ?? today())}\n`);
      return 0;
    }
    const { listKeys, rotateKeys } = await import('./keys/keys.js');
    const { withKeys } = await import('./keys/keys-world.js');
    const host = await this.#host();
    return withKeys(host, this.#output, (world) =>
      command.action === 'ls' ? listKeys(command.json, world) : rotateKeys(world),
    );
  }

  async codecServer(command: Of<'codec_server'>): Promise<number> {
    const { codecServer } = await import('./codec-server.js');
    const { openKeyRing } = await import('../encryption/configured-keys.js');
    const { askTemporal } = await import('./keys/ask-temporal.js');
    const { findServer } = await import('../server/local-server.js');
    return codecServer(command, {
      ...this.#output,
      ring: openKeyRing(this.#config),
      token: this.#config.codecToken?.reveal() ?? null,
      localUi: async () => (await findServer(this.#config.home))?.uiUrl ?? null,
      connect: () => askTemporal(this.#config, this.#cliSearch()),
      stopped: new Promise((resolve) => process.once('SIGINT', () => resolve())),
    });
  }

  /** For commands that look at sessions, or tell them something, and leave. */
  async #operate(act: (operator: Operator) => Promise<number>): Promise<number> {
    const { asOperator } = await import('./operator/operator.js');
    return asOperator(await this.#host(), this.#output.stdout, act);
  }

  async #select(selectors: readonly string[]): Promise<readonly string[]> {
    let selected: readonly string[] = [];
    await this.#operate(async ({ sessions }) => {
      selected = (await sessions(selectors)).map(({ sessionId }) => sessionId);
      return 0;
    });
    return selected;
  }

  /** Loads what talks to Temporal only when a session is really opened. */
  #openSession(settings?: SettingsFlags, hosted: HostedParts = {}): OpenSession {
    return async (request) => {
      const { openSession } = await import('./open-session.js');
      return openSession(await this.#host({ settings, hosted }), request);
    };
  }

  async #host({ settings, hosted, files = [], ...rest }: HostParts = {}): Promise<SessionHost> {
    const { createSessionHost } = await import('./session-host.js');
    return createSessionHost({
      config: this.#config,
      settings: { ...toSettingsChoice(settings), ...hosted },
      version: this.#output.version,
      cli: this.#cliSearch(),
      environment: process.env,
      tell: (line) => this.#tell(line),
      ownCode: await this.#ownCode(files),
      ...rest,
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
      ...(process.stderr.isTTY && { openStatusLine }),
    };
  }

  async #layout(): Promise<Layout | null> {
    const { layoutOf } = await import('./output/layout.js');
    return layoutOf(this.#output.stdout, process.env);
  }

  #composeRun(command: PrintCommand | RunCommand | InteractiveCommand): Promise<RunOptions> {
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
    if (this.#listener === null) void this.#output.stderr.write(`${line}\n`);
    else this.#listener(line);
  }

  /** undefined: no server runs, and a check starts none. */
  async #searchAttributesProblem(): Promise<string | null | undefined> {
    const { findServer } = await import('../server/local-server.js');
    const { hasTemporalAddress, home } = this.#config;
    if (!hasTemporalAddress && (await findServer(home)) === undefined) return undefined;
    const { connectTemporal } = await import('../temporal/connect.js');
    const { missingSearchAttributes } = await import('../visibility/register-attributes.js');
    const connected = await connectTemporal(this.#config, this.#cliSearch());
    const { connection, client } = connected;
    const { operatorService, workflowService } = connection;
    const name = client.options.namespace;
    const problem = await missingSearchAttributes({ name, operatorService, workflowService });
    await connected.close();
    return problem;
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

/** stderr: stdout is for what was asked for. */
async function openStatusLine(): Promise<StatusLine> {
  const progress = await import('../progress/status-line.js');
  return progress.openStatusLine(process.stderr, process.env);
}

const today = (): string => new Date().toISOString().slice(0, 10);

const isOn = (value: string | undefined): boolean => value === 'true' || value === '1';

interface HostParts {
  readonly settings?: SettingsFlags | undefined;
  readonly hosted?: HostedParts;
  /** Of `--tools`. */
  readonly files?: readonly string[];
  /** Where Prometheus may ask; absent: nowhere. */
  readonly metricsAddress?: string | null;
  /** Its stderr is a log. */
  readonly hasNativeWarnings?: boolean;
}

/** What this process has of a client that it belongs to. */
interface HostedParts {
  readonly hostHooks?: HostHooks;
  readonly mcpHost?: McpHost;
}
