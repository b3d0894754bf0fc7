import { randomUUID } from 'node:crypto';
import { homedir } from 'node:os';
import path from 'node:path';
import { loadConfig, type Config } from '../../config';
import type { OwnCodeFiles } from '../../agent/own-code-files';
import type {
  Command,
  InteractiveCommand,
  PrintCommand,
  RunCommand,
  SettingsFlags,
} from '../command';
import type { RunOptions } from '../../transcript/message';
import { composeRun, toSettingsChoice } from '../composed-run';
import type { McpHost } from '../../mcp/mcp-host';
import type { HostHooks } from '../../hooks/host-hooks';
import type { SessionHost } from '../session-host';
import type { StatusLine } from '../../progress/status-line';
import type { Layout } from '../output/layout';
import type { Operator } from '../operator/operator';
import type { OpenSession } from '../session-request';
import type { Surroundings } from '../surroundings';

type Output = Pick<Surroundings, 'stdout' | 'stderr' | 'version'>;
export type Of<Type extends Command['type']> = Extract<Command, { type: Type }>;

/** What this process gives its command. Modules are loaded by the command that needs them: the time to the first
 *  request counts. */
export class ThisProcess {
  readonly output: Output;
  readonly config: Config;
  /** Takes lines for people while a screen is up; null: stderr does. */
  #listener: ((line: string) => void) | null = null;

  constructor(output: Output) {
    this.output = output;
    this.config = loadConfig(process.env, homedir());
  }

  /** For commands that look at sessions, or tell them something, and leave. */
  async operate(act: (operator: Operator) => Promise<number>): Promise<number> {
    const { asOperator } = await import('../operator/operator.js');
    return asOperator(await this.host(), this.output.stdout, act);
  }

  async select(selectors: readonly string[]): Promise<readonly string[]> {
    let selected: readonly string[] = [];
    await this.operate(async ({ sessions }) => {
      selected = (await sessions(selectors)).map(({ sessionId }) => sessionId);
      return 0;
    });
    return selected;
  }

  /** Loads what talks to Temporal only when a session is really opened. */
  openSession(settings?: SettingsFlags, hosted: HostedParts = {}): OpenSession {
    return async (request) => {
      const { openSession } = await import('../open-session.js');
      return openSession(await this.host({ settings, hosted }), request);
    };
  }

  async host({ settings, hosted, files = [], ...rest }: HostParts = {}): Promise<SessionHost> {
    const { createSessionHost } = await import('../session-host.js');
    return createSessionHost({
      config: this.config,
      settings: { ...toSettingsChoice(settings), ...hosted },
      version: this.output.version,
      cli: this.cliSearch(),
      environment: process.env,
      tell: (line) => this.#tell(line),
      ownCode: await this.#ownCode(files),
      ...rest,
    });
  }

  async #ownCode(files: readonly string[]): Promise<OwnCodeFiles> {
    const { OwnCodeFiles } = await import('../../agent/own-code-files.js');
    const cacheFolder = path.join(this.config.home, 'cache', 'modules');
    const { home } = this.config;
    return new OwnCodeFiles({ files, cwd: process.cwd(), cacheFolder, home });
  }

  surroundings(): Surroundings {
    return {
      ...this.output,
      stdin: { stream: process.stdin, isTerminal: process.stdin.isTTY },
      cwd: process.cwd(),
      apiKeySource: this.config.apiKey ? 'ANTHROPIC_API_KEY' : 'none',
      clientReadsState: process.env['CLAUDE_CODE_SDK_READS_SESSION_STATE'] === '1',
      newId: randomUUID,
      now: () => new Date().toISOString(),
      onInterrupt: (listener) => process.on('SIGINT', listener),
      ...(process.stderr.isTTY && { openStatusLine: () => this.openStatusLine() }),
    };
  }

  async layout(): Promise<Layout | null> {
    const { layoutOf } = await import('../output/layout.js');
    return layoutOf(this.output.stdout, process.env);
  }

  composeRun(command: PrintCommand | RunCommand | InteractiveCommand): Promise<RunOptions> {
    return composeRun(command, {
      config: this.config,
      ownCode: () => this.#ownCode([]),
      tell: (line) => this.#tell(line),
    });
  }

  cliSearch() {
    return {
      configured: this.config.temporalCli,
      env: process.env,
      cacheFolder: path.join(this.config.home, 'cache', 'temporal'),
      onProgress: (line: string) => this.#tell(line),
    };
  }

  #tell(line: string): void {
    if (this.#listener === null) void this.output.stderr.write(`${line}\n`);
    else this.#listener(line);
  }

  /** On stderr: stdout is for what was asked for. */
  async openStatusLine(): Promise<StatusLine> {
    const progress = await import('../../progress/status-line.js');
    return progress.openStatusLine(process.stderr, process.env);
  }

  /** Lines for people go there from now on. */
  tellTo(listener: (line: string) => void): void {
    this.#listener = listener;
  }
}

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
