import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { createSessionHost, type SessionHost } from '../cli/session-host';
import { readVersion } from '../cli/version';
import { AgentClient } from '../client/agent-client';
import { loadConfig } from '../config';
import { readRunNotes } from '../recovery/run-notes';
import { requireCli } from '../server/find-cli';
import { ensureServer, stopServer } from '../server/local-server';
import { sessionWorkflowId } from '../transcript/place';
import { ChaosModel } from './chaos-model';
import type { Work } from './works';

type Environment = Readonly<Record<string, string | undefined>>;

/** What all sessions of a chaos run share: a home folder with its own server, and the model. */
export interface Rig {
  readonly home: string;
  readonly host: SessionHost;
  readonly agent: AgentClient;
  /** Whether the session has taken a message, as its history says. false also: the server is away. */
  hasAccepted(sessionId: string): Promise<boolean>;
  readonly model: ChaosModel;
  /** Of every process of everloop. */
  readonly environment: Environment;
  /** A name for the folder of the next session. */
  nextName(): string;
  /** A process that is killed cannot take its socket away. To be called before. */
  noteSockets(): void;
  /** Ends server and model, and removes the home folder. */
  close(): Promise<void>;
}

export async function startRig(works: readonly Work[], environment: Environment): Promise<Rig> {
  // The binary may come from the user's own cache; nothing else of theirs takes part.
  const own = loadConfig(environment, homedir());
  const cli = {
    configured: own.temporalCli,
    env: environment,
    cacheFolder: join(own.home, 'cache', 'temporal'),
  };
  const { path: binary } = await requireCli(cli);
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-chaos-')));
  const { address } = await ensureServer({ home, cli, ports: { frontend: 0, ui: 0 } });
  const model = await ChaosModel.start(works, /session-\d+-of-chaos/);
  const env = {
    PATH: environment['PATH'],
    TMPDIR: environment['TMPDIR'],
    HOME: home,
    EVERLOOP_HOME: home,
    EVERLOOP_TEMPORAL_CLI: binary,
    CLAUDE_CONFIG_DIR: join(home, '.claude'),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'scripted',
  };
  const config = loadConfig(env, home);
  const version = readVersion();
  const settings = { cli: null };
  const host = createSessionHost({ config, settings, version, cli, environment: env });
  // Not the host's own: it would start a killed server again, which is the Workers' task here.
  const connection = await Connection.connect({ address });
  const { idleMs, rolloverEvents, maxToolUseConcurrency: maxToolConcurrency } = config;
  const sockets = new Set<string>();
  let names = 0;
  const noteSockets = (): void => {
    for (const { owner } of readRunNotes(home)) sockets.add(owner.socket);
  };

  const client = new Client({ connection });
  const { place } = host.store;

  return {
    home,
    host,
    agent: new AgentClient(client, place, { idleMs, rolloverEvents, maxToolConcurrency }),
    async hasAccepted(sessionId) {
      const handle = client.workflow.getHandle(sessionWorkflowId(place, sessionId));
      const history = await handle.fetchHistory().catch(() => null);
      const events = history?.events ?? [];
      return events.some((event) => event.workflowExecutionUpdateAcceptedEventAttributes != null);
    },
    model,
    environment: env,
    nextName: () => `session-${++names}-of-chaos`,
    noteSockets,
    async close() {
      noteSockets();
      await connection.close();
      await host.store.close();
      await model.close();
      await stopServer(home);
      rmSync(home, { recursive: true, force: true, maxRetries: 5 });
      for (const socket of sockets) rmSync(socket, { force: true });
    },
  };
}
