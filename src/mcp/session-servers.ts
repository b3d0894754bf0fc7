import type { CatalogServer, Catalog } from './catalog';
import type { Configuration, ConfiguredServer } from './configured-servers';
import { CallFailure, ConnectionFailure } from './failure';
import type { McpHost, ServerControl, ServerStatus } from './mcp-host';
import type { ConnectOptions, ServerConnection } from './server-connection';
import type { SandboxState } from '../sandbox/sandbox';
import type { ServerConfig } from './server-config';

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

/** Makes a connection. Fails: ConnectionFailure. */
export type ConnectServer = (options: ConnectOptions) => Promise<ServerConnection>;

/** Nobody else needs the protocol's library, which takes long to load. */
async function connectByLibrary(options: ConnectOptions): Promise<ServerConnection> {
  const { ServerConnection: Connection } = await import('./server-connection.js');
  return Connection.open(options);
}

/** How long a message waits for a server that failed before; it goes on trying meanwhile. */
const SECOND_PATIENCE_MS = 2_000;

interface Known {
  readonly configured: ConfiguredServer;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sandbox: SandboxState | undefined;
  /** Of its entry and its sandbox: with others it is another server. */
  readonly key: string;
  /** null: it is not connected, and nobody tries. */
  connecting: Promise<ServerConnection> | null;
  /** Gives the attempt up. */
  giveUp: AbortController;
  connection: ServerConnection | null;
  failure: ConnectionFailure | null;
  isDisabled: boolean;
}

/** The servers of one session, each connected once and again when it was lost. */
export class SessionServers implements ServerControl {
  readonly limits: ServerLimits;
  readonly #options: SessionServersOptions;
  #known = new Map<string, Known>();
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
      const servers = await Promise.all(
        [...this.#known.values()].map((known) => this.#entry(known)),
      );
      return { servers };
    });
  }

  /** Begins to connect, for a message that will come. */
  prepare(): void {
    void this.#configure()
      .then(() => {
        for (const known of this.#known.values()) {
          if (isReady(known)) this.#connect(known).catch(() => undefined);
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
      const callMs = timeoutOf(known) ?? this.limits.callMs;
      try {
        return await act(await this.#reach(known), callMs);
      } catch (error) {
        signal.throwIfAborted();
        const isAgain =
          error instanceof CallFailure &&
          (error.type === 'not_sent' || (error.type === 'lost' && mayRepeat));
        if (!isAgain) throw error;
        await this.#drop(known);
        return act(await this.#reach(known), callMs);
      }
    });
  }

  status(): readonly ServerStatus[] {
    return [...this.#known.values()].map(
      ({ configured, connection, connecting, failure, isDisabled }) => {
        const { name, scope, state } = configured;
        if (isDisabled) return { name, scope, status: 'disabled' };
        if (state.type !== 'ready') return { name, scope, ...notReady(state) };
        if (connection?.isOpen) {
          const info = connection.serverInfo;
          return {
            name,
            scope,
            status: 'connected',
            ...(info && { serverInfo: info }),
            tools: connection.listed,
          };
        }
        if (connection === null && (connecting !== null || failure === null))
          return { name, scope, status: 'pending' };
        const error =
          failure?.message ?? `MCP server "${name}" is gone: ${connection?.ending ?? ''}.`;
        return { name, scope, status: failure?.status ?? 'failed', error };
      },
    );
  }

  async reconnect(server: string): Promise<void> {
    await this.#configure();
    const known = this.#known.get(server);
    if (known === undefined) throw new Error(`There is no MCP server "${server}".`);
    await this.#drop(known);
    known.isDisabled = false;
    await this.#connect(known);
  }

  async toggle(server: string, enabled: boolean): Promise<void> {
    if (enabled) return this.reconnect(server);
    await this.#configure();
    const known = this.#known.get(server);
    if (known === undefined) throw new Error(`There is no MCP server "${server}".`);
    known.isDisabled = true;
    await this.#drop(known);
  }

  /** Milliseconds since anybody wanted anything of them; 0: somebody does. */
  idleMs(now: number): number {
    return this.#inUse.size > 0 ? 0 : now - this.#lastUseMs;
  }

  /** Ends connections and processes. Whoever uses them after that starts them again. */
  async close(): Promise<void> {
    const known = [...this.#known.values()];
    this.#known.clear();
    await Promise.all(known.map((each) => this.#drop(each)));
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
    this.#known = new Map(
      all
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map((configured) => {
          const key = JSON.stringify([configured, sandbox]);
          const known = before.get(configured.name);
          return [
            configured.name,
            known?.key === key ? known : fresh({ configured, key, env, sandbox }),
          ];
        }),
    );
    for (const known of before.values()) {
      if (this.#known.get(known.configured.name) !== known) await this.#drop(known);
    }
  }

  async #entry(known: Known): Promise<CatalogServer> {
    const { name, scope, state } = known.configured;
    const nothing = { name, scope, tools: [], prompts: [], hasResources: false };
    if (known.isDisabled) return { ...nothing, status: 'disabled' };
    if (state.type !== 'ready') return { ...nothing, ...notReady(state) };
    try {
      const connection = await this.#withPatience(known);
      return { ...nothing, status: 'connected', ...(await connection.offer()) };
    } catch (error) {
      const failure = known.failure ?? error;
      const isFailure = failure instanceof ConnectionFailure || failure instanceof CallFailure;
      if (!isFailure) throw error;
      const status = failure instanceof ConnectionFailure ? failure.status : 'failed';
      return { ...nothing, status, error: failure.message };
    }
  }

  /** The first time a server has all the time that it is allowed; a message does not wait as long again. */
  async #withPatience(known: Known): Promise<ServerConnection> {
    const before = known.failure;
    const connecting = this.#connect(known);
    if (before === null) return connecting;
    connecting.catch(() => undefined);
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_, reject) => {
      late = setTimeout(() => reject(before), SECOND_PATIENCE_MS);
    });
    try {
      return await Promise.race([connecting, patience]);
    } finally {
      clearTimeout(late);
    }
  }

  async #require(name: string): Promise<Known> {
    if (!this.#known.has(name)) await this.#configure();
    const known = this.#known.get(name);
    if (known !== undefined && isReady(known)) return known;
    throw new CallFailure(
      'not_sent',
      `MCP server "${name}" is not configured any more, or disabled.`,
    );
  }

  /** Fails: CallFailure. */
  async #reach(known: Known): Promise<ServerConnection> {
    try {
      return await this.#connect(known);
    } catch (error) {
      if (!(error instanceof ConnectionFailure)) throw error;
      throw new CallFailure('answered', error.message, { cause: error });
    }
  }

  /** The open connection, or a new one; whoever comes while it is made waits for the same.
   *  Fails: ConnectionFailure. */
  #connect(known: Known): Promise<ServerConnection> {
    if (known.connection?.isOpen) return Promise.resolve(known.connection);
    known.connecting ??= this.#open(known).finally(() => (known.connecting = null));
    return known.connecting;
  }

  async #open(known: Known): Promise<ServerConnection> {
    const { configured, env, sandbox } = known;
    const { cwd, version, host, limits, connect = connectByLibrary } = this.#options;
    try {
      const connection = await connect({
        name: configured.name,
        config: configOf(configured),
        cwd,
        env,
        sandbox,
        host,
        version,
        timeoutMs: limits.startMs,
        signal: known.giveUp.signal,
      });
      known.connection = connection;
      known.failure = null;
      return connection;
    } catch (error) {
      if (error instanceof ConnectionFailure) known.failure = error;
      throw error;
    }
  }

  async #drop(known: Known): Promise<void> {
    known.giveUp.abort();
    await known.connecting?.catch(() => undefined);
    known.giveUp = new AbortController();
    await known.connection?.close();
    known.connection = null;
  }
}

const fresh = (of: Pick<Known, 'configured' | 'key' | 'env' | 'sandbox'>): Known => ({
  ...of,
  connecting: null,
  giveUp: new AbortController(),
  connection: null,
  failure: null,
  isDisabled: false,
});

const isReady = ({ configured, isDisabled }: Known): boolean =>
  !isDisabled && configured.state.type === 'ready';

function configOf({ name, state }: ConfiguredServer): ServerConfig {
  if (state.type === 'ready') return state.config;
  throw new ConnectionFailure(
    'failed',
    `MCP server "${name}" cannot be connected: its entry is not usable.`,
  );
}

function timeoutOf({ configured: { state } }: Known): number | undefined {
  return state.type === 'ready' ? state.config.timeout : undefined;
}

function notReady(
  state: Exclude<ConfiguredServer['state'], { type: 'ready' }>,
): Pick<CatalogServer, 'status' | 'error'> {
  switch (state.type) {
    case 'disabled':
      return { status: 'disabled' };
    case 'pending':
      return { status: 'pending', error: state.detail };
    case 'unusable':
      return { status: 'failed', error: state.detail };
  }
}
