import type { SandboxState } from '../sandbox/sandbox';
import type { CatalogServer } from './catalog';
import type { ConfiguredServer } from './configured-servers';
import { CallFailure, ConnectionFailure } from './failure';
import type { McpHost, ServerStatus } from './mcp-host';
import type { ConnectOptions, ServerConnection } from './server-connection';
import type { ServerConfig } from './server-config';

/** Makes a connection. Fails: ConnectionFailure. */
export type ConnectServer = (options: ConnectOptions) => Promise<ServerConnection>;

/** What all servers of a session are connected with. */
export interface ConnectParts {
  /** Absolute. */
  readonly cwd: string;
  readonly version: string;
  readonly host: McpHost | null;
  /** Of a server's start, of connecting, and of listing. Milliseconds. */
  readonly startMs: number;
  /** Absent: the library is loaded when there is a server. */
  readonly connect?: ConnectServer | undefined;
}

/** An entry, and what its process gets. */
export interface KnownEntry {
  readonly configured: ConfiguredServer;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absent: it may touch what the Worker may. */
  readonly sandbox: SandboxState | undefined;
}

/** How long a message waits for a server that failed before; it goes on trying meanwhile. */
const SECOND_PATIENCE_MS = 2_000;

/** One server of a session: connected once, and again when the connection was lost. */
export class KnownServer {
  /** Of its entry and its sandbox: with others it is another server. */
  readonly key: string;
  isDisabled = false;
  readonly #entry: KnownEntry;
  readonly #parts: ConnectParts;
  /** null: it is not connected, and nobody tries. */
  #connecting: Promise<ServerConnection> | null = null;
  /** Gives the attempt up. */
  #giveUp = new AbortController();
  #connection: ServerConnection | null = null;
  #failure: ConnectionFailure | null = null;

  constructor(entry: KnownEntry, parts: ConnectParts) {
    this.#entry = entry;
    this.#parts = parts;
    this.key = keyOf(entry);
  }

  get name(): string {
    return this.#entry.configured.name;
  }

  get isReady(): boolean {
    return !this.isDisabled && this.#entry.configured.state.type === 'ready';
  }

  /** Of one call; undefined: the entry says nothing. Milliseconds. */
  get callMs(): number | undefined {
    const { state } = this.#entry.configured;
    return state.type === 'ready' ? state.config.timeout : undefined;
  }

  status(): ServerStatus {
    const { name, scope, state } = this.#entry.configured;
    const connection = this.#connection;
    if (this.isDisabled) return { name, scope, status: 'disabled' };
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
    const failure = this.#failure;
    if (connection === null && (this.#connecting !== null || failure === null))
      return { name, scope, status: 'pending' };
    const error = failure?.message ?? `MCP server "${name}" is gone: ${connection?.ending ?? ''}.`;
    return { name, scope, status: failure?.status ?? 'failed', error };
  }

  /** What it offers a message that has just come; why it offers nothing, if it cannot be reached. */
  async offer(): Promise<CatalogServer> {
    const { name, scope, state } = this.#entry.configured;
    const nothing = { name, scope, tools: [], prompts: [], hasResources: false };
    if (this.isDisabled) return { ...nothing, status: 'disabled' };
    if (state.type !== 'ready') return { ...nothing, ...notReady(state) };
    try {
      const connection = await this.#withPatience();
      return { ...nothing, status: 'connected', ...(await connection.offer()) };
    } catch (error) {
      const failure = this.#failure ?? error;
      const isFailure = failure instanceof ConnectionFailure || failure instanceof CallFailure;
      if (!isFailure) throw error;
      const status = failure instanceof ConnectionFailure ? failure.status : 'failed';
      return { ...nothing, status, error: failure.message };
    }
  }

  /** `connect` for a call. Fails: CallFailure. */
  async reach(): Promise<ServerConnection> {
    try {
      return await this.connect();
    } catch (error) {
      if (!(error instanceof ConnectionFailure)) throw error;
      throw new CallFailure('answered', error.message, { cause: error });
    }
  }

  /** The open connection, or a new one; whoever comes while it is made waits for the same.
   *  Fails: ConnectionFailure. */
  connect(): Promise<ServerConnection> {
    if (this.#connection?.isOpen) return Promise.resolve(this.#connection);
    this.#connecting ??= this.#open().finally(() => (this.#connecting = null));
    return this.#connecting;
  }

  /** Ends the connection, and its process. */
  async drop(): Promise<void> {
    this.#giveUp.abort();
    await this.#connecting?.catch(() => undefined);
    this.#giveUp = new AbortController();
    await this.#connection?.close();
    this.#connection = null;
  }

  /** The first time a server has all the time that it is allowed; a message does not wait as long again. */
  async #withPatience(): Promise<ServerConnection> {
    const before = this.#failure;
    const connecting = this.connect();
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

  async #open(): Promise<ServerConnection> {
    const { configured, env, sandbox } = this.#entry;
    const { cwd, version, host, startMs, connect = connectByLibrary } = this.#parts;
    try {
      const connection = await connect({
        name: configured.name,
        config: configOf(configured),
        cwd,
        env,
        sandbox,
        host,
        version,
        timeoutMs: startMs,
        signal: this.#giveUp.signal,
      });
      this.#connection = connection;
      this.#failure = null;
      return connection;
    } catch (error) {
      if (error instanceof ConnectionFailure) this.#failure = error;
      throw error;
    }
  }
}

export const keyOf = ({ configured, sandbox }: Omit<KnownEntry, 'env'>): string =>
  JSON.stringify([configured, sandbox]);

/** Nobody else needs the protocol's library, which takes long to load. */
async function connectByLibrary(options: ConnectOptions): Promise<ServerConnection> {
  const { ServerConnection: Connection } = await import('./server-connection.js');
  return Connection.open(options);
}

function configOf({ name, state }: ConfiguredServer): ServerConfig {
  if (state.type === 'ready') return state.config;
  throw new ConnectionFailure(
    'failed',
    `MCP server "${name}" cannot be connected: its entry is not usable.`,
  );
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
