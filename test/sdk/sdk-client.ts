import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Options } from '@anthropic-ai/claude-agent-sdk' with { 'resolution-mode': 'import' };
import { transpiled } from '../support/transpiled';
import { SdkQuery } from './sdk-query';
import type { FromTest, ToTest, WireOptions, WireServers } from './wire';

type Callback = (...args: never[]) => unknown;

/** What the SDK takes; `hooks` with one callback an event, `servers` with one callback a tool. */
export interface QueryOptions extends Omit<Options, 'canUseTool' | 'hooks' | 'mcpServers'> {
  readonly canUseTool?: Callback;
  readonly hooks?: Readonly<Record<string, Callback>>;
  readonly servers?: Servers;
}

/** Arguments of tools are numbers. */
export type Servers = Readonly<
  Record<
    string,
    Readonly<Record<string, { readonly args: readonly string[]; readonly run: Callback }>>
  >
>;

/** A process with the official Agent SDK, as the programs of its users are; it can be killed. */
export class SdkClient {
  readonly #child: ChildProcess;
  readonly #queries = new Map<string, SdkQuery>();
  readonly #callbacks = new Map<string, Callback>();
  readonly #open = new Map<string, (answer: { value?: unknown; error?: string }) => void>();

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on('message', (said) => void this.#hear(said as ToTest));
  }

  /** Resolves when it has loaded the SDK. `configDir`: where its readers look for transcripts. */
  static async start(configDir: string): Promise<SdkClient> {
    const child = fork(transpiled(join(__dirname, 'client-process.ts')), {
      execArgv: [],
      env: { PATH: process.env['PATH'], HOME: configDir, CLAUDE_CONFIG_DIR: configDir },
      // A process group of its own: a kill takes the program that the SDK has started with it.
      detached: true,
    });
    await once(child, 'message');
    return new SdkClient(child);
  }

  /** `prompt: null`: prompts are sent one by one. */
  query(prompt: string | null, options: QueryOptions): SdkQuery {
    const id = randomUUID();
    const query = new SdkQuery({
      say: (said) => this.#say({ ...said, of: id }),
      call: (method, args) => this.#ask({ type: 'call', of: id, method, args }),
      setServers: (servers) =>
        this.#ask({
          type: 'call',
          of: id,
          method: 'setMcpServers',
          args: [this.#toServers(servers)],
        }),
    });
    this.#queries.set(id, query);
    this.#say({ type: 'query', id, prompt, options: this.#toWire(options) });
    return query;
  }

  /** Calls a function of the SDK that reads or changes transcripts. */
  read(reader: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.#ask({ type: 'read', reader, args });
  }

  /** SIGKILL for it and all that it has started; resolves when it is gone. */
  async kill(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    process.kill(-pid, 'SIGKILL');
    await gone;
  }

  async #hear(said: ToTest): Promise<void> {
    switch (said.type) {
      case 'message':
      case 'ended':
      case 'stderr':
        this.#queries.get(said.of)?.hear(said);
        return;
      case 'answer':
        this.#open.get(said.id)?.(said);
        this.#open.delete(said.id);
        return;
      case 'ask':
        try {
          const value = await this.#callbacks.get(said.callback)?.(...(said.args as never[]));
          this.#say({ type: 'answer', id: said.id, value });
        } catch (error) {
          this.#say({ type: 'answer', id: said.id, error: String(error) });
        }
        return;
      case 'up':
    }
  }

  #say(said: FromTest): void {
    if (this.#child.connected) this.#child.send(said);
  }

  #ask(said: Unnamed<Extract<FromTest, { type: 'call' | 'read' }>>): Promise<unknown> {
    const id = randomUUID();
    return new Promise((resolve, reject) => {
      this.#open.set(id, ({ value, error }) => {
        if (error === undefined) resolve(value);
        else reject(new Error(error));
      });
      this.#say({ ...said, id });
    });
  }

  #toWire({ canUseTool, hooks = {}, servers = {}, ...plain }: QueryOptions): WireOptions {
    return {
      plain,
      ...(canUseTool && { canUseTool: this.#name(canUseTool) }),
      hooks: Object.fromEntries(
        Object.entries(hooks).map(([event, run]) => [event, this.#name(run)]),
      ),
      servers: this.#toServers(servers),
    };
  }

  #toServers(servers: Servers): WireServers {
    return Object.fromEntries(
      Object.entries(servers).map(([server, tools]) => [
        server,
        Object.fromEntries(
          Object.entries(tools).map(([tool, { args, run }]) => [
            tool,
            { args, callback: this.#name(run) },
          ]),
        ),
      ]),
    );
  }

  #name(callback: Callback): string {
    const name = randomUUID();
    this.#callbacks.set(name, callback);
    return name;
  }
}

type Unnamed<Said> = Said extends unknown ? Omit<Said, 'id'> : never;
