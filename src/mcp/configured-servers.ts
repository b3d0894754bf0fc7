import path from 'node:path';
import { z } from 'zod';
import type { SettingsLayer } from '../settings/settings';
import { expandVariables } from './expand-variables';
import { McpConfigError, parseServer, type ServerConfig } from './server-config';
import {
  readProjectServers,
  readUserServers,
  serversOfSettings,
  type RawServers,
} from './server-files';

export type ServerScope = 'dynamic' | 'sdk' | 'managed' | 'local' | 'project' | 'user';

/** A server that somebody wrote down. */
export interface ConfiguredServer {
  readonly name: string;
  readonly scope: ServerScope;
  /** `unusable`: its entry cannot be read, `detail` says why. `pending`: nobody has approved it. */
  readonly state:
    | { readonly type: 'ready'; readonly config: ServerConfig }
    | { readonly type: 'disabled' }
    | { readonly type: 'pending' | 'unusable'; readonly detail: string };
}

export interface Configuration {
  /** In the order of their names, so that the tools of a session have the same order each time. */
  readonly servers: readonly ConfiguredServer[];
  /** What is wrong with whole files, a sentence each. */
  readonly problems: readonly string[];
}

export interface ConfigurationPlace {
  readonly cwd: string;
  readonly configDir: string;
  readonly homeFolder: string;
  /** Of --mcp-config, in its order. */
  readonly given: readonly RawServers[];
  /** true: nothing but what was given counts. */
  readonly isStrict: boolean;
  /** Strongest first. */
  readonly layers: readonly SettingsLayer[];
  /** Settings that count; absent: all. */
  readonly sources?: readonly string[] | undefined;
  /** For `${NAME}`. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** All servers of a session that it does not host itself. Stronger places replace entries of the same name:
 *  command line, local, project, user. Never throws: what is wrong with an entry is said in its place. */
export async function readConfiguration(place: ConfigurationPlace): Promise<Configuration> {
  const found = new Map<string, { readonly scope: ServerScope; readonly raw: unknown }>();
  const problems: string[] = [];
  const add = (scope: ServerScope, servers: RawServers): void => {
    for (const [name, raw] of Object.entries(servers)) found.set(name, { scope, raw });
  };
  const attempt = async (read: () => Promise<void> | void): Promise<void> => {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof McpConfigError)) throw error;
      problems.push(error.message);
    }
  };
  if (!place.isStrict) {
    for (const [scope, read] of sourcesOf(place)) {
      await attempt(async () => add(scope, await read()));
    }
  }
  for (const servers of place.given) add('dynamic', servers);
  const approvals = approvalsOf(place.layers);
  const servers = [...found].map(([name, { scope, raw }]) => ({
    name,
    scope,
    state: stateOf({ name, scope, raw }, approvals, place.env),
  }));
  return { servers: servers.sort((a, b) => (a.name < b.name ? -1 : 1)), problems };
}

type Source = readonly [ServerScope, () => Promise<RawServers>];

/** Weakest first. */
function sourcesOf({ cwd, configDir, homeFolder, layers, sources }: ConfigurationPlace): Source[] {
  const counts = (source: string): boolean => sources === undefined || sources.includes(source);
  const file = userFile(configDir, homeFolder);
  const ofSettings = (scope: ServerScope, source: string): Source[] =>
    layers
      .filter((layer) => layer.source === source)
      .map((layer) => [
        scope,
        async () => serversOfSettings(layer.raw['mcpServers'], layer.file ?? '--settings'),
      ]);
  return [
    ...ofSettings('user', 'user'),
    ...(counts('user')
      ? [['user', async () => (await readUserServers(file, cwd)).user] as const]
      : []),
    ...ofSettings('project', 'project'),
    ...(counts('project') ? [['project', async () => readProjectServers(cwd)] as const] : []),
    ...ofSettings('local', 'local'),
    ...(counts('local')
      ? [['local', async () => (await readUserServers(file, cwd)).local] as const]
      : []),
    ...ofSettings('dynamic', 'cli'),
    ...ofSettings('managed', 'managed'),
  ];
}

/** Where the user's own servers are written: beside the configuration folder, unless it was moved. */
function userFile(configDir: string, homeFolder: string): string {
  const isUsual = configDir === path.join(homeFolder, '.claude');
  return path.join(isUsual ? homeFolder : configDir, '.claude.json');
}

interface Approvals {
  readonly all: boolean;
  readonly enabled: ReadonlySet<string>;
  readonly disabled: ReadonlySet<string>;
}

const names = z.array(z.string()).catch([]);

function approvalsOf(layers: readonly SettingsLayer[]): Approvals {
  const listed = (key: string): ReadonlySet<string> =>
    new Set(layers.flatMap(({ raw }) => names.parse(raw[key] ?? [])));
  return {
    all: layers.some(({ raw }) => raw['enableAllProjectMcpServers'] === true),
    enabled: listed('enabledMcpjsonServers'),
    disabled: listed('disabledMcpjsonServers'),
  };
}

function stateOf(
  {
    name,
    scope,
    raw,
  }: { readonly name: string; readonly scope: ServerScope; readonly raw: unknown },
  { all, enabled, disabled }: Approvals,
  env: ConfigurationPlace['env'],
): ConfiguredServer['state'] {
  if (scope === 'project' && disabled.has(name)) return { type: 'disabled' };
  // Whoever lists what may start does not want the rest; whoever lists nothing is not asked here, as with -p.
  if (scope === 'project' && !all && enabled.size > 0 && !enabled.has(name)) {
    return {
      type: 'pending',
      detail: `It comes with the project and is not approved. Add "${name}" to enabledMcpjsonServers of your settings.`,
    };
  }
  try {
    return { type: 'ready', config: parseServer(expandVariables(raw, env, name), name) };
  } catch (error) {
    if (!(error instanceof McpConfigError)) throw error;
    return { type: 'unusable', detail: error.message };
  }
}
