import { join } from 'node:path';
import { Runtime } from '@temporalio/worker';
import { createActivities } from './activities';
import { createAnthropic } from './activities/call-model/anthropic-client';
import type { TaskDeps } from './activities/agent-task/begin-task';
import type { ScheduleDeps } from './activities/begin-scheduled';
import type { Activities } from './activities/interface';
import type { LookDeps } from './activities/look-at-folder';
import { QuerySpans } from './activities/query-spans';
import type { ServedSessions } from './activities/served-sessions';
import type { ActivityDeps, Surroundings } from './activities/deps';
import { createSurroundings, hostPartsOf } from './activity-surroundings';
import { joinTools } from './agent/own-code';
import { defaultRunOptions, toRunOptions } from './cli/run-options';
import { fingerprintOf, providerOf } from './fingerprint';
import { McpSessions } from './mcp/mcp-sessions';
import { countWith } from './metrics/activity-counts';
import type { RunNotes } from './recovery/run-notes';
import { clearGhosts } from './sandbox/ghost-folders';
import { loadOwnPrices } from './prices/own-prices';
import { toApiTool } from './activities/tool-catalog';
import { loadSettings } from './settings/settings';
import { ScheduledPrompts } from './schedule/scheduled-prompts';
import { builtInTools } from './tools/built-in-tools';
import type { Tool } from './tools/tool';
import { spansOf } from './tracing/spans';
import type { RunOptions } from './transcript/message';
import type { WorkerOptions } from './worker';

type ActivityOptions = Pick<
  WorkerOptions,
  | 'config'
  | 'client'
  | 'store'
  | 'settings'
  | 'environment'
  | 'version'
  | 'attributes'
  | 'tools'
  | 'agents'
  | 'ownCode'
  | 'serves'
  | 'connectServer'
>;

/** spec/loop 4.12. */
const DEFAULT_OUTPUT_TOKENS = 32_000;

/** The Activities of one Worker with everything they need. In a module of its own because it loads what takes
 *  longest (model client, schemas, tools): the Worker's Workflow thread starts meanwhile. */
export function composeActivities(
  options: ActivityOptions,
  { sessions, notes }: { readonly sessions: ServedSessions; readonly notes: RunNotes },
): Activities {
  const { config, client, settings, environment, version, agents = [] } = options;
  const tools = joinTools(
    builtInTools({ environment, web: { loopbackPorts: config.webFetchPorts } }),
    options.tools ?? [],
  );
  const surroundings = createSurroundings(config, settings, environment);
  const mcp = composeMcp(options, { sessions, surroundings });
  warmUp([...tools, ...agents.flatMap((agent) => agent.tools ?? [])]);
  return createActivities(
    {
      sessions,
      anthropic: createAnthropic(config),
      apiKeySource: config.apiKey === null ? 'none' : 'ANTHROPIC_API_KEY',
      tools,
      agents,
      ...(options.ownCode && { ownCode: options.ownCode }),
      hostParts: () => hostPartsOf(settings),
      surroundings,
      mcp,
      context: {
        percentOverride: config.compactPercent,
        autoCompactWindow: config.compactWindow,
      },
      ownPrices: loadOwnPrices(config.home),
      ...(config.hasTraces && { spans: new QuerySpans(spansOf(version), sessions) }),
      pauses: pausesOf(options),
      counts: countWith(Runtime.instance().metricMeter),
      maxRetries: config.maxRetries,
      maxOutputTokens: config.maxOutputTokens ?? DEFAULT_OUTPUT_TOKENS,
      isOutputChosen: config.maxOutputTokens !== null,
      version,
      now: () => new Date(),
      random: Math.random,
    },
    { client, notes },
    composeTasks(options),
  );
}

/** Those who send with the same credentials to the same place are refused together. */
function pausesOf({ config, store }: ActivityOptions): NonNullable<ActivityDeps['pauses']> {
  const provider = providerOf(config);
  return {
    remainingMs: () => store.pauses.remainingMs(provider),
    pause: (ms) => store.pauses.pause(provider, ms),
  };
}

/** What becomes a session without a client: tasks of Workflows, and firings of schedules. */
function composeTasks(options: ActivityOptions): TaskDeps & ScheduleDeps & LookDeps {
  const { config, store, settings, attributes } = options;
  const { configDir, userHome: homeFolder } = config;
  const { cli = null } = settings;
  const defaultOptions = async (cwd: string, sources = settings.sources): Promise<RunOptions> => {
    const chosen = { cli, ...(sources && { sources }) };
    return defaultRunOptions(config, await loadSettings({ cwd, configDir, homeFolder, ...chosen }));
  };
  return {
    store,
    host: config.host,
    fingerprint: fingerprintOf(config),
    workspaces: join(config.home, 'workspaces'),
    prompts: new ScheduledPrompts(config.home),
    ...(attributes && { attributes }),
    idleMs: config.idleMs,
    rolloverEvents: config.rolloverEvents,
    maxToolConcurrency: config.maxToolUseConcurrency,
    defaultOptions: (cwd) => defaultOptions(cwd),
    optionsFor: async (flags, cwd) =>
      toRunOptions(flags, await defaultOptions(cwd, flags.settingSources), cwd),
    now: () => new Date(),
  };
}

/** Characters of a token, as a rule of thumb. */
const CHARS_PER_TOKEN = 4;
/** Servers of a session that nobody talks to are ended after this long where many sessions are served. */
const IDLE_SERVERS_MS = 30 * 60_000;

/** Servers begin to start when the session is served, before its first message; they end with it. */
function composeMcp(
  { config, settings, version, serves, connectServer }: ActivityOptions,
  {
    sessions,
    surroundings,
  }: { readonly sessions: ServedSessions; readonly surroundings: Surroundings },
): McpSessions {
  const { mcpStartMs, mcpCallMs, mcpOutputTokens } = config;
  const mcp = new McpSessions({
    limits: {
      startMs: mcpStartMs,
      callMs: mcpCallMs,
      resultChars: mcpOutputTokens * CHARS_PER_TOKEN,
    },
    version,
    host: settings.mcpHost ?? null,
    connect: connectServer,
    idleMs: serves === undefined ? IDLE_SERVERS_MS : null,
    read: (place) => surroundings.mcpServers(place),
  });
  sessions.onRelease(async (sessionId) => {
    await mcp.close(sessionId);
    await clearGhosts(config.home);
  });
  if (serves !== undefined) {
    const served = sessions.serve(serves);
    served
      .then(({ store: { meta } }) => mcp.of({ ...meta, options: {} }).prepare())
      .catch(() => undefined);
  }
  return mcp;
}

/** What the first request would else wait for: Node loads its HTTP client when it is first touched, and schemas
 *  are turned into JSON once. */
function warmUp(tools: readonly Tool[]): void {
  new Request('http://127.0.0.1');
  tools.forEach(toApiTool);
}
