import type { Catalog } from './catalog';
import type { Configuration, ConfiguredServer } from './configured-servers';
import { CallFailure } from './failure';
import { keyOf, KnownServer, type ConnectServer } from './known-server';
import type { McpHost, ServerControl, ServerStatus } from './mcp-host';
import type { ServerConnection } from './server-connection';
import type { SandboxState } from '../sandbox/sandbox';

export interface ServerLimits {
  /** Of a server's start, of connecting, and of listing. Milliseconds. */
  readonly startMs: number;
  /** Of one call, if its server's entry says nothing. Milliseconds. */
  readonly callMs: number;
  /** Characters of a result. */
  readonly resultChars: number;
}

export interface SessionServersOptions {
  readonly limits: ServerLimits;
  /** Absolute. */
  readonly cwd: string;
  readonly version: string;
  readonly host: McpHost | null;
  /** Absent: the library is loaded when there is a server. */
  readonly connect?: ConnectServer | undefined;
  /** What is written down now. */
  read(): Promise<ServerSettings>;
}

/** What is written down of servers, and what their processes get. */
export interface ServerSettings extends Configuration {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absent: they may touch what the Worker may. */
  readonly sandbox?: SandboxState;
}

/** The servers of one session, each connected once and again when it was lost. */
export class SessionServers implements ServerControl {
  readonly limits: ServerLimits;
  readonly #options: SessionServersOptions;
  #known = new Map<string, KnownServer>();
  #problems: readonly string[] = [];
  readonly #inUse = new Set<Promise<unknown>>();
  #lastUseMs = Date.now();

  constructor(options: SessionServersOptions) {
    this.#options = options;
    this.limits = options.limits;
  }

  /** What is wrong with the files that name servers, a sentence each. */
  get problems(): readonly string[] {
    return this.#problems;
  }

  /** For a message that has just come: reads what is configured, connects, and lists what there is. A server that
   *  cannot be reached costs its own tools only. Never throws. */
  async refresh(): Promise<Catalog> {
    return this.#busy(async () => {
      await this.#configure();
      const servers = await Promise.all([...this.#known.values()].map((known) => known.offer()));
      return { servers };
    });
  }

  /** Begins to connect, for a message that will come. */
  prepare(): void {
    void this.#configure()
      .then(() => {
        for (const known of this.#known.values()) {
          if (known.isReady) known.connect().catch(() => undefined);
        }
      })
      .catch(() => undefined);
  }

  /** Lets `act` use the server; connects again first if it was lost. A request that the server never saw, or that
   *  changes nothing, is sent a second time.
   *  Fails: CallFailure. */
  async use<Result>(
    name: string,
    act: (connection: ServerConnection, callMs: number) => Promise<Result>,
    { mayRepeat, signal }: { readonly mayRepeat: boolean; readonly signal: AbortSignal },
  ): Promise<Result> {
    return this.#busy(async () => {
      const known = await this.#require(name);
      const callMs = known.callMs ?? this.limits.callMs;
      try {
        return await act(await known.reach(), callMs);
      } catch (error) {
        signal.throwIfAborted();
        const isAgain =
          error instanceof CallFailure &&
          (error.type === 'not_sent' || (error.type === 'lost' && mayRepeat));
        if (!isAgain) throw error;
        await known.drop();
        return act(await known.reach(), callMs);
      }
    });
  }

  status(): readonly ServerStatus[] {
    return [...this.#known.values()].map((known) => known.status());
  }

  async reconnect(server: string): Promise<void> {
    await this.#configure();
    const known = this.#known.get(server);
    if (known === undefined) throw new Error(`There is no MCP server "${server}".`);
    await known.drop();
    known.isDisabled = false;
    await known.connect();
  }

  async toggle(server: string, enabled: boolean): Promise<void> {
    if (enabled) return this.reconnect(server);
    await this.#configure();
    const known = this.#known.get(server);
    if (known === undefined) throw new Error(`There is no MCP server "${server}".`);
    known.isDisabled = true;
    await known.drop();
  }

  /** Milliseconds since anybody wanted anything of them; 0: somebody does. */
  idleMs(now: number): number {
    return this.#inUse.size > 0 ? 0 : now - this.#lastUseMs;
  }

  /** Ends connections and processes. Whoever uses them after that starts them again. */
  async close(): Promise<void> {
    const known = [...this.#known.values()];
    this.#known.clear();
    await Promise.all(known.map((each) => each.drop()));
  }

  async #busy<Result>(act: () => Promise<Result>): Promise<Result> {
    const working = act();
    this.#inUse.add(working);
    try {
      return await working;
    } finally {
      this.#inUse.delete(working);
      this.#lastUseMs = Date.now();
    }
  }

  /** What is written down now; connections of entries that are as they were stay. */
  async #configure(): Promise<void> {
    const { servers, problems, env, sandbox } = await this.#options.read();
    this.#problems = problems;
    const before = this.#known;
    const hosted = (this.#options.host?.hosted ?? []).map((name): ConfiguredServer => ({
      name,
      scope: 'sdk',
      state: { type: 'ready', config: { type: 'sdk' } },
    }));
    const isHosted = new Set(hosted.map(({ name }) => name));
    const all = [...hosted, ...servers.filter(({ name }) => !isHosted.has(name))];
    const parts = { ...this.#options, startMs: this.limits.startMs };
    this.#known = new Map(
      all
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((configured) => {
          const entry = { configured, env, sandbox };
          const known = before.get(configured.name);
          const isSame = known?.key === keyOf(entry);
          return [configured.name, isSame ? known : new KnownServer(entry, parts)];
        }),
    );
    for (const known of before.values()) {
      if (this.#known.get(known.name) !== known) await known.drop();
    }
  }

  async #require(name: string): Promise<KnownServer> {
    if (!this.#known.has(name)) await this.#configure();
    const known = this.#known.get(name);
    if (known?.isReady) return known;
    throw new CallFailure(
      'not_sent',
      `MCP server "${name}" is not configured any more, or disabled.`,
    );
  }
}
