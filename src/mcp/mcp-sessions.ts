import type { RunOptions } from '../transcript/message';
import type { Tool } from '../tools/tool';
import type { Catalog } from './catalog';
import type { McpHost } from './mcp-host';
import { resourceTools } from './resource-tools';
import { serverTool } from './server-tool';
import type { ConnectServer } from './known-server';
import { SessionServers, type ServerLimits, type ServerSettings } from './session-servers';

export interface McpPlace {
  readonly sessionId: string;
  readonly cwd: string;
  /** Its servers are kept in unless settings say otherwise. */
  readonly isBackground?: boolean;
  /** What decides which settings count. */
  readonly options: Pick<RunOptions, 'settingSources' | 'pluginDirs'>;
}

export interface McpSessionsOptions {
  readonly limits: ServerLimits;
  readonly version: string;
  /** null: no client of this process brings servers. */
  readonly host: McpHost | null;
  /** Servers of a session that is not used for so long are ended; null: they stay. Milliseconds. */
  readonly idleMs: number | null;
  /** Absent: the library is loaded when there is a server. */
  readonly connect?: ConnectServer | undefined;
  read(place: McpPlace): Promise<ServerSettings>;
}

/** The servers of all sessions of a Worker. Each session has its own: what one does to a server is nobody else's. */
export class McpSessions {
  readonly #options: McpSessionsOptions;
  readonly #sessions = new Map<string, { place: McpPlace; readonly servers: SessionServers }>();
  readonly #tools = new WeakMap<Catalog, readonly Tool[]>();
  #watch: NodeJS.Timeout | null = null;

  constructor(options: McpSessionsOptions) {
    this.#options = options;
  }

  of(place: McpPlace): SessionServers {
    const known = this.#sessions.get(place.sessionId);
    if (known !== undefined) {
      known.place = place;
      return known.servers;
    }
    const { limits, version, host, connect } = this.#options;
    const session: { place: McpPlace; readonly servers: SessionServers } = {
      place,
      servers: new SessionServers({
        limits,
        version,
        host,
        connect,
        cwd: place.cwd,
        read: () => this.#options.read(session.place),
      }),
    };
    this.#sessions.set(place.sessionId, session);
    if (host !== null) host.control = session.servers;
    this.#watchIdle();
    return session.servers;
  }

  /** The same tools as long as the catalog is the same: a request's prefix must not change. */
  tools(catalog: Catalog, place: McpPlace): readonly Tool[] {
    const known = this.#tools.get(catalog);
    if (known !== undefined) return known;
    const made = toTools(catalog, this.of(place));
    this.#tools.set(catalog, made);
    return made;
  }

  async close(sessionId: string): Promise<void> {
    const session = this.#sessions.get(sessionId);
    this.#sessions.delete(sessionId);
    await session?.servers.close();
  }

  async closeAll(): Promise<void> {
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
    await Promise.all([...this.#sessions.keys()].map((id) => this.close(id)));
  }

  #watchIdle(): void {
    const { idleMs } = this.#options;
    if (idleMs === null || this.#watch !== null) return;
    this.#watch = setInterval(() => {
      for (const { servers } of this.#sessions.values()) {
        if (servers.idleMs(Date.now()) >= idleMs) void servers.close();
      }
    }, idleMs / 2);
    this.#watch.unref();
  }
}

/** Behind the tools of the program, in the order of servers and tools. Of two with one name the first counts. */
function toTools({ servers: all }: Catalog, servers: SessionServers): readonly Tool[] {
  const tools = new Map<string, Tool>();
  for (const { name, tools: definitions } of all) {
    for (const definition of definitions) {
      const tool = serverTool(servers, name, definition);
      if (!tools.has(tool.name)) tools.set(tool.name, tool);
    }
  }
  const withResources = all.filter(({ hasResources }) => hasResources).map(({ name }) => name);
  const resources = withResources.length === 0 ? [] : resourceTools(servers, withResources);
  return [...resources, ...tools.values()];
}
