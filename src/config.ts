import { hostname } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import { z } from 'zod';
import { UI_DETAILS, type UiDetail } from './visibility/ui-detail';

/** What a process of ours takes from its environment. Never written to State, history or logs. */
export interface Config {
  /** What `~` stands for. Absolute. */
  readonly userHome: string;
  /** Where sessions, the local server and its database live. Absolute. */
  readonly home: string;
  /** Settings, memory and commands of the user. Absolute. */
  readonly configDir: string;
  /** URL of the Postgres that conversations are kept in; null: files of the home folder. */
  readonly store: Secret | null;
  /** Of this host, as others of the store know it. */
  readonly host: string;
  /** `id:key,…`: what passes Temporal and lies in Postgres is encrypted with the first; null: see the file. */
  readonly encryptionKeys: Secret | null;
  /** The same, one a line. Absolute; null: neither is set, or the other is. */
  readonly encryptionKeyFile: string | null;
  /** What a codec server asks for; null: nothing. */
  readonly codecToken: Secret | null;
  /** Files that sessions of this process work with, by the name that all hosts with these files give them. */
  readonly workspace: string;
  /** Temporal Worker Deployment that background Workers are part of; null: they are not versioned. */
  readonly deployment: string | null;
  /** Of this build in it; null: made from version and Workflows. */
  readonly buildId: string | null;
  /** null: the server's program is searched for. */
  readonly temporalCli: string | null;
  /** true: a server is configured, so none is started here. */
  readonly hasTemporalAddress: boolean;
  readonly baseUrl: string;
  readonly apiKey: Secret | null;
  readonly authToken: Secret | null;
  /** As written, alias or full name; null: not set. */
  readonly model: string | null;
  readonly maxRetries: number;
  /** null: the model's default. */
  readonly maxOutputTokens: number | null;
  /** 0: no extended thinking. */
  readonly maxThinkingTokens: number;
  readonly maxToolUseConcurrency: number;
  readonly apiTimeoutMs: number;
  readonly rolloverEvents: number;
  readonly idleMs: number;
  readonly steering: (typeof STEERING)[number];
  /** false: the conversation is never summarised of its own accord. */
  readonly autoCompact: boolean;
  /** Percentage of the context window at which it is; null: the usual mark. */
  readonly compactPercent: number | null;
  /** Tokens: a smaller window than the model's; null: the model's. */
  readonly compactWindow: number | null;
  readonly toolUseSummaries: boolean;
  readonly mcpStartMs: number;
  readonly mcpCallMs: number;
  readonly mcpOutputTokens: number;
  /** How much the Temporal UI shows of what a session does. */
  readonly uiDetail: UiDetail;
  /** Who starts sessions, as search attributes name them; null: nobody says. */
  readonly user: string | null;
  /** Whose share of busy Workers sessions have; null: all that name none have one together. */
  readonly tenant: string | null;
  /** Activities that a Worker runs at a time on each of its queues; auto: as many as CPU and memory have room for. */
  readonly activitySlots: number | 'auto';
  /** Requests for tasks that a Worker keeps open at the server. */
  readonly pollers: (typeof POLLERS)[number];
  /** How long what runs may take to end when its Worker is told to stop. */
  readonly graceMs: number;
  /** Age in days from which on a Worker collects what is not needed any more; null: it never does. */
  readonly retentionDays: number | null;
  /** Of this machine, that WebFetch may ask. */
  readonly webFetchPorts: readonly number[];
  /** host:port at which a Worker tells Prometheus its figures; null: nowhere. */
  readonly metricsAddress: string | null;
  /** host:port at which a Worker says whether it lives and is ready; null: nowhere. */
  readonly healthAddress: string | null;
  /** true: spans are sent to the endpoint that `OTEL_*` names. */
  readonly hasTraces: boolean;
  /** The trace that this process is part of, as W3C Trace Context; null: none. */
  readonly traceparent: string | null;
}

/** A credential that no log, error or JSON can show by accident. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [inspect.custom](): string {
    return '[redacted]';
  }
}

/** A variable was set to something that cannot be used. The message names it, the value and the cure. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

export interface ConfigVariable {
  readonly name: string;
  /** As one would write it; null: there is none. */
  readonly fallback: string | null;
  readonly unit: string;
  readonly meaning: string;
}

/** IPv4, a name, or IPv6 in brackets, and a port. */
export const LISTEN_ADDRESS = /^(\[[0-9a-f:]+\]|[\w.-]+):\d{1,5}$/i;
export const LISTEN_ADDRESS_MEANT = 'an address and a port, as 127.0.0.1:9464';

export const WORKSPACE_NAME = /^[\w.@-]{1,100}$/;
export const WORKSPACE_NAME_MEANT = 'a name of up to 100 letters, digits and . _ @ -';

/** Temporal puts a dot between name and build id. */
const DEPLOYMENT_NAME = /^[\w-]{1,100}$/;
const BUILD_ID = /^[\w.+-]{1,100}$/;

type Documentation = Omit<ConfigVariable, 'name'>;
const documentation = z.registry<Documentation>();

const text = (unit: string, meaning: string) =>
  z.string().nullable().default(null).register(documentation, { fallback: null, unit, meaning });

/** It stands in Workflow histories. */
const shortName = (shape: RegExp, meant: string, meaning: string) =>
  z
    .string()
    .regex(shape, meant)
    .nullable()
    .default(null)
    .register(documentation, { fallback: null, unit: 'name', meaning });

const secret = (meaning: string) =>
  z
    .string()
    .transform((value) => new Secret(value))
    .nullable()
    .default(null)
    .register(documentation, { fallback: null, unit: 'secret', meaning });

const folder = (fallback: string, meaning: string) =>
  z
    .string()
    .regex(/^(\/|~(\/|$)|[A-Za-z]:[\\/])/, 'an absolute path, or one that begins with ~/')
    .default(fallback)
    .register(documentation, { fallback, unit: 'folder', meaning });

const wholeNumber = (least: number, unit: string) => {
  const expected = `a whole number of ${unit}, ${least} or more`;
  return z
    .string()
    .regex(/^\d{1,15}$/, expected)
    .transform(Number)
    .refine((value) => value >= least, expected);
};

const count = (fallback: number, least: number, unit: string, meaning: string) =>
  wholeNumber(least, unit)
    .default(fallback)
    .register(documentation, { fallback: String(fallback), unit, meaning });

const limit = (unit: string, meaning: string) =>
  wholeNumber(1, unit)
    .nullable()
    .default(null)
    .register(documentation, { fallback: null, unit, meaning });

const listenAddress = (meaning: string) =>
  z
    .string()
    .regex(LISTEN_ADDRESS, LISTEN_ADDRESS_MEANT)
    .nullable()
    .default(null)
    .register(documentation, { fallback: null, unit: 'host:port', meaning });

const ports = (meaning: string) =>
  z
    .string()
    .default('')
    .transform((value) => value.split(',').filter((one) => one.trim() !== ''))
    .refine(
      (list) => list.every((one) => /^\s*\d{1,5}\s*$/.test(one) && Number(one) <= 65_535),
      'numbers of ports, with commas between them',
    )
    .transform((list) => list.map(Number))
    .register(documentation, { fallback: 'none', unit: 'ports', meaning });

const flag = (meaning: string) =>
  z
    .string()
    .default('')
    .transform((value) => ['1', 'true', 'yes', 'on'].includes(value.toLowerCase()))
    .register(documentation, { fallback: 'off', unit: '1 or 0', meaning });

const choice = <Value extends string>(values: readonly [Value, ...Value[]], meaning: string) =>
  z
    .enum(values, `one of ${values.join(', ')}`)
    .default(values[0] as z.util.NoUndefined<Value>)
    .register(documentation, { fallback: values[0], unit: values.join(', '), meaning });

const STEERING = ['all', 'one-at-a-time'] as const;
const POLLERS = ['fixed', 'auto'] as const;

const SLOTS_MEANT = 'a whole number of slots, 1 to 99999, or auto';

/** Of a fairness key of Temporal. */
const LONGEST_TENANT_BYTES = 64;

const Environment = z.object({
  EVERLOOP_HOME: folder('~/.everloop', 'Sessions, local server, database.'),
  CLAUDE_CONFIG_DIR: folder('~/.claude', 'Settings, memory and commands of the user.'),
  EVERLOOP_STORE: secret('postgres://… where conversations are kept, instead of files.'),
  EVERLOOP_HOST: text(
    'name',
    'Name of this host, if not that of the system; no other may have it.',
  ),
  EVERLOOP_ENCRYPTION_KEYS: secret('id:key,… of payload and store encryption; newest first.'),
  EVERLOOP_ENCRYPTION_KEY_FILE: text('file', 'The same in a file, one key a line.'),
  EVERLOOP_CODEC_TOKEN: secret('What `everloop codec-server` asks for.'),
  EVERLOOP_WORKSPACE: shortName(
    WORKSPACE_NAME,
    WORKSPACE_NAME_MEANT,
    'Hosts that share their files set the same; if not the name of the host.',
  ),
  EVERLOOP_DEPLOYMENT: shortName(
    DEPLOYMENT_NAME,
    'a name of up to 100 letters, digits and _ -',
    'Temporal Worker Deployment of background Workers; needs EVERLOOP_STORE.',
  ),
  EVERLOOP_BUILD_ID: shortName(
    BUILD_ID,
    'a name of up to 100 letters, digits and . _ + -',
    'Build of it, if not version and digest of the Workflows.',
  ),
  EVERLOOP_TEMPORAL_CLI: text('file', 'The temporal program, if it is not to be searched for.'),
  TEMPORAL_ADDRESS: text('host:port', 'A Temporal server; without one a local server is started.'),
  ANTHROPIC_BASE_URL: z
    .url({ protocol: /^https?$/, error: 'a URL that begins with http:// or https://' })
    .default('https://api.anthropic.com')
    .register(documentation, {
      fallback: 'https://api.anthropic.com',
      unit: 'URL',
      meaning: 'Where the Messages API is.',
    }),
  ANTHROPIC_API_KEY: secret('Key of the API.'),
  ANTHROPIC_AUTH_TOKEN: secret('Token of a gateway instead of a key.'),
  ANTHROPIC_MODEL: text('model', 'Model or alias, if the command line names none.'),
  CLAUDE_CODE_MAX_RETRIES: count(10, 0, 'retries', 'Retries of one model call.'),
  CLAUDE_CODE_MAX_OUTPUT_TOKENS: limit('tokens', 'Output tokens to ask for.'),
  MAX_THINKING_TOKENS: count(0, 0, 'tokens', 'Budget of extended thinking; 0 turns it off.'),
  CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY: count(10, 1, 'calls', 'Tool calls that run side by side.'),
  API_TIMEOUT_MS: count(600_000, 1, 'ms', 'Longest wait for one model request.'),
  EVERLOOP_ROLLOVER_EVENTS: count(500, 1, 'events', 'History size at which a run rolls over.'),
  DISABLE_AUTO_COMPACT: flag('Conversations are not summarised of their own accord.'),
  DISABLE_COMPACT: flag('The same.'),
  CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: limit('percent', 'Summarise at this part of the window.'),
  CLAUDE_CODE_AUTO_COMPACT_WINDOW: limit('tokens', 'A smaller window than the model has.'),
  CLAUDE_CODE_EMIT_TOOL_USE_SUMMARIES: flag('A small model labels each batch of tools.'),
  EVERLOOP_WEB_FETCH_PORTS: ports('Ports of this machine that WebFetch may ask; for development.'),
  MCP_TIMEOUT: count(30_000, 1, 'ms', 'How long an MCP server may take to start.'),
  MCP_TOOL_TIMEOUT: count(100_000_000, 1, 'ms', 'Longest call of an MCP tool.'),
  MAX_MCP_OUTPUT_TOKENS: count(25_000, 1, 'tokens', 'Longer results of MCP tools go into a file.'),
  EVERLOOP_UI_DETAIL: choice(UI_DETAILS, 'What the Temporal UI shows of prompts and tool calls.'),
  EVERLOOP_USER: text('name', 'Who starts sessions, if not the user of the system.'),
  EVERLOOP_TENANT: z
    .string()
    .refine((name) => Buffer.byteLength(name) <= LONGEST_TENANT_BYTES, '64 bytes at most')
    .nullable()
    .default(null)
    .register(documentation, {
      fallback: null,
      unit: 'name',
      meaning: 'Whose fair share of busy Workers the sessions have.',
    }),
  EVERLOOP_ACTIVITY_SLOTS: z
    .string()
    .regex(/^(auto|[1-9]\d{0,4})$/, SLOTS_MEANT)
    .transform((value): number | 'auto' => (value === 'auto' ? value : Number(value)))
    .default(100)
    .register(documentation, {
      fallback: '100',
      unit: 'slots, auto',
      meaning: 'Activities that a Worker runs at a time; auto: by CPU and memory.',
    }),
  EVERLOOP_POLLERS: choice(POLLERS, 'Ten open requests for tasks a queue, or as many as help.'),
  EVERLOOP_GRACE_MS: count(1_000, 0, 'ms', 'How long what runs may take when a Worker stops.'),
  EVERLOOP_RETENTION_DAYS: limit('days', 'Older ledgers, logs and checkpoints are collected.'),
  EVERLOOP_IDLE_MS: count(900_000, 0, 'ms', 'How long a session with nothing to do stays open.'),
  EVERLOOP_STEERING: choice(
    STEERING,
    'How many of the messages that wait a query hears after each batch.',
  ),
  EVERLOOP_METRICS: listenAddress('Where `everloop worker` answers Prometheus.'),
  EVERLOOP_HEALTH: listenAddress('Where `everloop worker` says whether it is healthy.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: text('URL', 'Where traces are sent, as OTLP over HTTP.'),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: text('URL', 'The same, for traces alone.'),
  OTEL_SDK_DISABLED: flag('No traces are sent.'),
  TRACEPARENT: text('W3C trace context', 'The trace that a command is part of.'),
});

/** A timer of Node cannot be set to more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Every variable we read: the configuration table of the documentation. */
export const CONFIG_VARIABLES: readonly ConfigVariable[] = Object.entries(Environment.shape).map(
  ([name, schema]) => ({ name, ...requireDocumentation(schema) }),
);

/** The one reader of the environment. An empty value counts as unset.
 *  Fails: ConfigError, naming every variable that cannot be used. */
export function loadConfig(
  env: Readonly<Record<string, string | undefined>>,
  homeFolder: string,
): Config {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const parsed = Environment.safeParse(set);
  if (!parsed.success) throw toConfigError(parsed.error, env);
  const read = parsed.data;
  if (read.EVERLOOP_ENCRYPTION_KEYS !== null && read.EVERLOOP_ENCRYPTION_KEY_FILE !== null) {
    throw new ConfigError(
      'EVERLOOP_ENCRYPTION_KEYS and EVERLOOP_ENCRYPTION_KEY_FILE are both set. Unset one of them.',
    );
  }
  if (read.EVERLOOP_DEPLOYMENT !== null && read.EVERLOOP_STORE === null) {
    throw new ConfigError(
      `EVERLOOP_DEPLOYMENT is "${read.EVERLOOP_DEPLOYMENT}", but conversations are kept in files, and one Worker at a time serves those. Set EVERLOOP_STORE to a Postgres, or unset EVERLOOP_DEPLOYMENT.`,
    );
  }
  const host = read.EVERLOOP_HOST ?? hostname();
  const traceEndpoints = [
    read.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT,
    read.OTEL_EXPORTER_OTLP_ENDPOINT,
  ];
  return {
    userHome: homeFolder,
    home: toAbsolute(read.EVERLOOP_HOME, homeFolder),
    configDir: toAbsolute(read.CLAUDE_CONFIG_DIR, homeFolder),
    store: read.EVERLOOP_STORE,
    encryptionKeys: read.EVERLOOP_ENCRYPTION_KEYS,
    encryptionKeyFile:
      read.EVERLOOP_ENCRYPTION_KEY_FILE === null
        ? null
        : toAbsolute(read.EVERLOOP_ENCRYPTION_KEY_FILE, homeFolder),
    codecToken: read.EVERLOOP_CODEC_TOKEN,
    host,
    workspace: read.EVERLOOP_WORKSPACE ?? host,
    deployment: read.EVERLOOP_DEPLOYMENT,
    buildId: read.EVERLOOP_BUILD_ID,
    temporalCli: read.EVERLOOP_TEMPORAL_CLI,
    hasTemporalAddress: read.TEMPORAL_ADDRESS !== null,
    baseUrl: read.ANTHROPIC_BASE_URL,
    apiKey: read.ANTHROPIC_API_KEY,
    authToken: read.ANTHROPIC_AUTH_TOKEN,
    model: read.ANTHROPIC_MODEL,
    maxRetries: read.CLAUDE_CODE_MAX_RETRIES,
    maxOutputTokens: read.CLAUDE_CODE_MAX_OUTPUT_TOKENS,
    maxThinkingTokens: read.MAX_THINKING_TOKENS,
    maxToolUseConcurrency: read.CLAUDE_CODE_MAX_TOOL_USE_CONCURRENCY,
    apiTimeoutMs: read.API_TIMEOUT_MS,
    rolloverEvents: read.EVERLOOP_ROLLOVER_EVENTS,
    idleMs: read.EVERLOOP_IDLE_MS,
    steering: read.EVERLOOP_STEERING,
    autoCompact: !read.DISABLE_AUTO_COMPACT && !read.DISABLE_COMPACT,
    compactPercent: read.CLAUDE_AUTOCOMPACT_PCT_OVERRIDE,
    compactWindow: read.CLAUDE_CODE_AUTO_COMPACT_WINDOW,
    toolUseSummaries: read.CLAUDE_CODE_EMIT_TOOL_USE_SUMMARIES,
    mcpStartMs: Math.min(read.MCP_TIMEOUT, LONGEST_TIMER_MS),
    mcpCallMs: Math.min(read.MCP_TOOL_TIMEOUT, LONGEST_TIMER_MS),
    mcpOutputTokens: read.MAX_MCP_OUTPUT_TOKENS,
    uiDetail: read.EVERLOOP_UI_DETAIL,
    user: read.EVERLOOP_USER ?? env['USER'] ?? env['LOGNAME'] ?? null,
    tenant: read.EVERLOOP_TENANT,
    activitySlots: read.EVERLOOP_ACTIVITY_SLOTS,
    pollers: read.EVERLOOP_POLLERS,
    graceMs: Math.min(read.EVERLOOP_GRACE_MS, LONGEST_TIMER_MS),
    retentionDays: read.EVERLOOP_RETENTION_DAYS,
    webFetchPorts: read.EVERLOOP_WEB_FETCH_PORTS,
    metricsAddress: read.EVERLOOP_METRICS,
    healthAddress: read.EVERLOOP_HEALTH,
    hasTraces: !read.OTEL_SDK_DISABLED && traceEndpoints.some(isHttp),
    traceparent: read.TRACEPARENT,
  };
}

/** Others may have set it for a program that takes other forms: then there are no traces. */
const isHttp = (url: string | null): boolean => url !== null && /^https?:\/\//.test(url);

function requireDocumentation(schema: z.ZodType): Documentation {
  const found = documentation.get(schema);
  if (found === undefined) throw new Error('A variable in src/config.ts has no documentation.');
  return found;
}

function toAbsolute(folder: string, homeFolder: string): string {
  return path.resolve(folder.replace(/^~(?=\/|$)/, () => homeFolder));
}

/** No credential can be bad, so no message holds one. */
function toConfigError(
  error: z.ZodError,
  env: Readonly<Record<string, string | undefined>>,
): ConfigError {
  const complaints = new Map<string, string>();
  for (const { path: where, message } of error.issues) {
    const name = String(where[0]);
    complaints.set(
      name,
      `${name} is "${env[name] ?? ''}", but must be ${message}. Correct it or unset it.`,
    );
  }
  return new ConfigError([...complaints.values()].join('\n'));
}
