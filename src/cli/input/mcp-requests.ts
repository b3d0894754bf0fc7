import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { AskHost, McpHost } from '../../mcp/mcp-host';
import { McpConfigError, parseServer } from '../../mcp/server-config';
import type { ControlAnswer } from './control';
import { findText, isJsonObject, type JsonObject } from './json-object';

type McpSubtype = 'mcp_status' | 'mcp_message' | 'mcp_set_servers' | 'mcp_reconnect' | 'mcp_toggle';

/** What a client says and asks about MCP servers. */
export class McpRequests {
  readonly #host: McpHost | null;
  readonly #ask: AskHost;

  /** `host`: null: there are no servers here. */
  constructor(host: McpHost | null, ask: AskHost) {
    this.#host = host;
    this.#ask = ask;
  }

  /** Servers that run in the client's own process. false: it does not name them as it should. */
  register(names: unknown): boolean {
    if (names === undefined) return true;
    if (!Array.isArray(names)) return false;
    const servers = names.filter((name) => typeof name === 'string');
    if (servers.length < names.length) return false;
    this.#host?.register(servers, this.#ask);
    return true;
  }

  async answer(subtype: McpSubtype, request: JsonObject): Promise<ControlAnswer> {
    switch (subtype) {
      case 'mcp_status':
        return { type: 'success', response: { mcpServers: this.#status() } };
      case 'mcp_message':
        return this.#hear(request);
      case 'mcp_set_servers':
        return this.#set(request['servers']);
      case 'mcp_reconnect':
        return this.#change(request, (server) => this.#host?.control?.reconnect(server));
      case 'mcp_toggle':
        return this.#change(request, (server) =>
          this.#host?.control?.toggle(server, request['enabled'] === true),
        );
    }
  }

  /** Before the session is served nobody has tried to connect. */
  #status(): readonly object[] {
    if (this.#host === null) return [];
    const { control, hosted, given } = this.#host;
    const known = control?.status() ?? [];
    const isKnown = new Set(known.map(({ name }) => name));
    const named = new Set([...hosted, ...given.flatMap((each) => Object.keys(each))]);
    const waiting = [...named].filter((name) => !isKnown.has(name));
    return [...known, ...waiting.map((name) => ({ name, status: 'pending' }))];
  }

  /** They connect after the answer. One whose entry cannot be used is left out, and the answer says why. */
  #set(servers: unknown): ControlAnswer {
    if (!isJsonObject(servers)) {
      const error = "'servers' cannot be used: it must be an object of servers by name.";
      return { type: 'error', error, code: 'invalid_mcp_servers' };
    }
    if (this.#host === null) {
      const error = 'MCP servers are not connected here.';
      return { type: 'error', error, code: 'mcp_failed' };
    }
    const errors = unusableServers(servers);
    const usable = Object.entries(servers).filter(([name]) => errors[name] === undefined);
    const isHosted = (entry: unknown): boolean => isJsonObject(entry) && entry['type'] === 'sdk';
    const hosted = usable.filter(([, entry]) => isHosted(entry)).map(([name]) => name);
    const others = Object.fromEntries(usable.filter(([, entry]) => !isHosted(entry)));
    return {
      type: 'success',
      response: { ...this.#host.set(hosted, others, this.#ask), errors },
    };
  }

  #hear(request: JsonObject): ControlAnswer {
    const server = findText(request, 'server_name') ?? '';
    const { message } = request;
    const isHeard =
      isJsonObject(message) && this.#host?.hear(server, message as unknown as JSONRPCMessage);
    return isHeard === true ? { type: 'success' } : noServer(server);
  }

  async #change(
    request: JsonObject,
    change: (server: string) => Promise<void> | undefined,
  ): Promise<ControlAnswer> {
    const server = findText(request, 'serverName') ?? '';
    try {
      const changing = change(server);
      if (changing === undefined) return noServer(server);
      await changing;
      return { type: 'success' };
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { type: 'error', error: text, code: 'mcp_failed' };
    }
  }
}

/** Why entries cannot be used, by name. */
function unusableServers(servers: JsonObject): Readonly<Record<string, string>> {
  const errors = Object.entries(servers).flatMap(([name, entry]) => {
    try {
      parseServer(entry, name);
      return [];
    } catch (error) {
      if (!(error instanceof McpConfigError)) throw error;
      return [[name, error.message]];
    }
  });
  return Object.fromEntries(errors) as Readonly<Record<string, string>>;
}

const noServer = (name: string): ControlAnswer => ({
  type: 'error',
  error: `There is no MCP server "${name}" here.`,
  code: 'unknown_server',
});
