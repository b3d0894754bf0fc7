import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { RawServers } from './server-files';

/** Hands a message to a server in the program that hosts the session; resolves with what it answers. */
export type AskHost = (
  server: string,
  message: JSONRPCMessage,
  signal: AbortSignal,
) => Promise<unknown>;

/** State of one server, as clients are told. */
export interface ServerStatus {
  readonly name: string;
  readonly status: 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';
  readonly scope: string;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly error?: string;
  readonly tools?: readonly {
    readonly name: string;
    readonly description?: string;
    readonly annotations?: object;
  }[];
}

/** What can be done to the servers of the session that this process serves. */
export interface ServerControl {
  status(): readonly ServerStatus[];
  /** Begins to connect to servers that are new, and leaves those that are gone. */
  prepare(): void;
  /** Fails: Error when there is no such server, or it cannot be reached. */
  reconnect(server: string): Promise<void>;
  /** Fails: Error when there is no such server. */
  toggle(server: string, enabled: boolean): Promise<void>;
}

/** What a change of a client's servers came to, by name. */
export interface SetServers {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Servers of a client's own: those of its command line, and those that run in the program which hosts the session.
 *  Shared by whoever hears the program and whoever calls the servers. */
export class McpHost {
  /** Of --mcp-config. */
  readonly #launched: readonly RawServers[];
  /** Those that the client set while the session ran. */
  #added: RawServers = {};
  /** true: no other servers count. */
  readonly isStrict: boolean;
  #hosted: readonly string[] = [];
  #ask: AskHost | null = null;
  readonly #listeners = new Map<string, (message: JSONRPCMessage) => void>();
  /** Of the session's servers; null: nobody serves it here yet. */
  control: ServerControl | null = null;

  constructor(given: readonly RawServers[] = [], isStrict = false) {
    this.#launched = given;
    this.isStrict = isStrict;
  }

  /** Of the command line and of the client; the last of a name counts. */
  get given(): readonly RawServers[] {
    return [...this.#launched, this.#added];
  }

  /** Names of the servers that the program hosts. */
  get hosted(): readonly string[] {
    return this.#hosted;
  }

  /** Whether queries depend on this process. */
  get hasServers(): boolean {
    return this.#hosted.length > 0 || this.given.some((each) => Object.keys(each).length > 0);
  }

  /** A later registration replaces the one before. */
  register(servers: readonly string[], ask: AskHost): void {
    this.#hosted = servers;
    this.#ask = ask;
  }

  /** The servers that the client has from now on, beside those of the command line. `hosted`: names of those in its
   *  own process. What is not named any more is left. */
  set(hosted: readonly string[], servers: RawServers, ask: AskHost): SetServers {
    const before = [...this.#hosted, ...Object.keys(this.#added)];
    const after = [...hosted, ...Object.keys(servers)];
    this.register(hosted, ask);
    this.#added = servers;
    this.control?.prepare();
    return {
      added: after.filter((name) => !before.includes(name)),
      removed: before.filter((name) => !after.includes(name)),
    };
  }

  /** Fails: when the program has no such server any more, says so, or has gone. */
  async ask(server: string, message: JSONRPCMessage, signal: AbortSignal): Promise<unknown> {
    if (this.#ask === null) throw new Error('The program that hosts the server is not there.');
    return this.#ask(server, message, signal);
  }

  /** What the server says of its own accord. */
  listen(server: string, listener: (message: JSONRPCMessage) => void): void {
    this.#listeners.set(server, listener);
  }

  /** false: nobody listens to such a server. */
  hear(server: string, message: JSONRPCMessage): boolean {
    const listener = this.#listeners.get(server);
    listener?.(message);
    return listener !== undefined;
  }
}
