import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { cleanEnvironment } from './clean-environment';
import { confinementOf, type SandboxState } from '../sandbox/sandbox';
import { ConnectionFailure } from './failure';
import { HostTransport } from './host-transport';
import type { McpHost } from './mcp-host';
import type { ServerConfig } from './server-config';
import { ServerProcess } from './server-process';

/** Where a server of ours runs. */
export interface TransportPlace {
  /** The session's folder. Absolute. */
  readonly cwd: string;
  /** From it, servers get what programs need to run. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** null: no program hosts servers. */
  readonly host: McpHost | null;
  /** What servers of ours may touch; absent: all that the Worker may. */
  readonly sandbox?: SandboxState | undefined;
}

/** The ways to a server, to be tried one after the other: an old one may not know the newer. */
export function transportsFor(
  name: string,
  config: ServerConfig,
  { cwd, env, host, sandbox = { type: 'off' } }: TransportPlace,
): readonly (() => Transport)[] {
  switch (config.type) {
    case 'stdio': {
      const { command, args } = config;
      const more = { CLAUDE_PROJECT_DIR: cwd, ...config.env };
      const line = [command, ...args].join(' ');
      const confinement = confinementOf(sandbox, { command: line, wantsOut: false });
      if (confinement.type === 'refused') throw refused(name, confinement.message);
      const kept = confinement.type === 'confined' && { sandbox: confinement.sandbox };
      const environment = cleanEnvironment(env, more);
      return [() => new ServerProcess({ command, args, cwd, env: environment, ...kept })];
    }
    case 'http':
    case 'streamable-http':
      return [streamable(config), serverSentEvents(config)];
    case 'sse':
      return [serverSentEvents(config)];
    case 'sdk':
      if (host === null) throw new Error(`Nobody hosts the MCP server "${name}".`);
      return [() => new HostTransport(host, name)];
  }
}

const refused = (name: string, message: string): ConnectionFailure =>
  new ConnectionFailure('failed', `MCP server "${name}" is not started. ${message}`);

interface Remote {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

// The SDK's classes declare optional fields that may be undefined; its own interface does not allow that.
const streamable =
  ({ url, headers }: Remote) =>
  (): Transport =>
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });

const serverSentEvents =
  ({ url, headers }: Remote) =>
  (): Transport =>
    // Servers that speak nothing newer are still about.
    // eslint-disable-next-line @typescript-eslint/no-deprecated
    new SSEClientTransport(new URL(url), { requestInit: { headers } });
