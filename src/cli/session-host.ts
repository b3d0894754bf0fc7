import type { OwnCodeFiles } from '../agent/own-code-files';
import type { AgentClient, SessionLimits } from '../client/agent-client';
import type { SettingsChoice } from '../activity-surroundings';
import type { Config } from '../config';
import { openStore } from '../open-store';
import type { CliSearch } from '../server/find-cli';
import { fingerprintOf } from '../fingerprint';
import { livenessIn, type Liveness } from '../recovery/liveness';
import { connectTemporal, type TemporalConnection } from '../temporal/connect';
import { backgroundQueue, sessionQueue, workspaceQueue } from '../temporal/task-queue';
import type { Fingerprint, TranscriptStore } from '../transcript/store';
import type { ServedWorkspace } from '../transcript/worker-register';

/** What every command that talks to sessions has: the store, and a way to Temporal. */
export interface SessionHost {
  readonly config: Config;
  readonly settings: SettingsChoice;
  readonly version: string;
  readonly store: TranscriptStore;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fingerprint: Fingerprint;
  readonly isAlive: Liveness;
  /** Of the background Worker that may serve what this process starts. */
  readonly backgroundQueue: string;
  /** Where calls of background sessions run whose files are here; null: where their Workflows do. */
  readonly workspace: ServedWorkspace | null;
  /** Of what belongs to this home folder: schedules, whose prompts lie there, and sessions that older builds began.
   *  The same as `backgroundQueue` where the store is the home's alone. */
  readonly homeQueue: string;
  /** A line for people, on stderr. */
  readonly tell: (line: string) => void;
  /** Tools, agents and hooks that the user wrote; absent: none are looked for. */
  readonly ownCode?: OwnCodeFiles;
  /** Where Prometheus may ask this process; null, or absent: nowhere. */
  readonly metricsAddress?: string | null;
  connect(): Promise<Connected>;
}

export interface Connected extends TemporalConnection, Pick<SessionLimits, 'attributes'> {
  readonly agent: AgentClient;
}

export function createSessionHost(options: {
  readonly config: Config;
  readonly settings: SettingsChoice;
  readonly version: string;
  readonly cli: CliSearch;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Default: nobody is told. */
  readonly tell?: (line: string) => void;
  readonly ownCode?: OwnCodeFiles;
  /** Where Prometheus may ask this process. Default: nowhere. */
  readonly metricsAddress?: string | null;
  /** Its stderr is a log. Default: people read it. */
  readonly hasNativeWarnings?: boolean;
}): SessionHost {
  const { config } = options;
  const { home } = config;
  const fingerprint = fingerprintOf(config);
  const store: TranscriptStore = openStore(config, ({ sessionId }) => ({
    taskQueue: sessionQueue(store.place, sessionId),
    fingerprint,
  }));
  return {
    tell: () => undefined,
    ...options,
    store,
    isAlive: livenessIn(store, config.host),
    fingerprint,
    backgroundQueue: backgroundQueue(store.workers === undefined ? home : store.place, fingerprint),
    workspace: store.workers === undefined ? null : workspaceOf(store, fingerprint, config),
    homeQueue: backgroundQueue(home, fingerprint),
    async connect() {
      const temporal = await connectTemporal(config, options.cli, options);
      const [{ AgentClient }, attributes] = await Promise.all([
        import('../client/agent-client.js'),
        attributesOf(temporal, config),
      ]);
      const { idleMs, rolloverEvents, maxToolUseConcurrency: maxToolConcurrency } = config;
      const isOneAtATime = config.steering === 'one-at-a-time';
      const limits: SessionLimits = {
        idleMs,
        rolloverEvents,
        maxToolConcurrency,
        ...(config.tenant !== null && { tenant: config.tenant }),
        ...(isOneAtATime && { steering: 'one_at_a_time' }),
        ...attributes,
      };
      if (!config.hasTraces) {
        const agent = new AgentClient(temporal.client, store.place, limits);
        return { ...temporal, ...attributes, agent };
      }
      const traced = await withTraces(temporal, options, { place: store.place, limits });
      return { ...traced, ...attributes };
    },
  };
}

const workspaceOf = (
  { place }: TranscriptStore,
  fingerprint: Fingerprint,
  { workspace: name }: Config,
): ServedWorkspace => ({ name, taskQueue: workspaceQueue(place, fingerprint, name) });

/** Nothing where the server cannot learn our search attributes. */
async function attributesOf(
  { connection, client }: TemporalConnection,
  { user }: Config,
): Promise<Pick<SessionLimits, 'attributes'>> {
  const { registerSearchAttributes } = await import('../visibility/register-attributes.js');
  const { operatorService, workflowService } = connection;
  const problem = await registerSearchAttributes({
    name: client.options.namespace,
    operatorService,
    workflowService,
  });
  return problem === null ? { attributes: { user: user ?? 'unknown' } } : {};
}

/** Messages begin spans, and what this process has to tell is sent before it leaves. */
async function withTraces(
  temporal: TemporalConnection,
  { config, version }: { readonly config: Config; readonly version: string },
  { place, limits }: { readonly place: string; readonly limits: SessionLimits },
): Promise<Connected> {
  const [{ TracedAgentClient }, { flushSpans, spansOf }] = await Promise.all([
    import('../client/traced-agent-client.js'),
    import('../tracing/spans.js'),
  ]);
  const traces = { spans: spansOf(version), traceparent: config.traceparent };
  return {
    ...temporal,
    agent: new TracedAgentClient(temporal.client, place, limits, traces),
    async close() {
      await flushSpans();
      await temporal.close();
    },
  };
}
