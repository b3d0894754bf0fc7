import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { defaultRunOptions } from '../src/cli/run-options';
import { AgentClient } from '../src/client/agent-client';
import { loadConfig } from '../src/config';
import { fingerprintOf } from '../src/fingerprint';
import { queryWorkflowId } from '../src/loop/workflow-id';
import { openStore } from '../src/open-store';
import { backgroundQueue } from '../src/temporal/task-queue';
import { connectSdk, type SdkConnection } from '../src/temporal/sdk-connection';
import { sessionWorkflowId } from '../src/transcript/place';
import type { SessionStore, TranscriptStore } from '../src/transcript/store';
import type { Parts } from './cluster';

export interface TenantOptions {
  readonly folder: string;
  /** null: none. */
  readonly tenant: string | null;
  /** Host whose Worker serves what it begins. */
  readonly host: string;
  /** What reaches the model. */
  readonly model: Readonly<Record<string, string>>;
}

/** Somebody who begins background sessions of the cluster, as `everloop run --detach` does, without a process for
 *  each. */
export class Tenant {
  readonly #agent: AgentClient;

  private constructor(
    private readonly options: TenantOptions,
    private readonly config: ReturnType<typeof loadConfig>,
    private readonly connected: SdkConnection,
    private readonly store: TranscriptStore,
  ) {
    const { idleMs, rolloverEvents, maxToolUseConcurrency: maxToolConcurrency } = config;
    const { tenant } = options;
    this.#agent = new AgentClient(connected.client, store.place, {
      idleMs,
      rolloverEvents,
      maxToolConcurrency,
      attributes: { user: 'load' },
      ...(tenant !== null && { tenant }),
    });
  }

  static async connect({ variables }: Parts, options: TenantOptions): Promise<Tenant> {
    // The store of the command needs its password where `pg` looks for it.
    process.env['PGPASSWORD'] = variables['PGPASSWORD'] ?? '';
    const { folder, host, model } = options;
    const set = { ...variables, ...model, EVERLOOP_HOST: host };
    const config = loadConfig(set, folder);
    const connected = await connectSdk({
      options: { address: variables['TEMPORAL_ADDRESS'] ?? '' },
      namespace: variables['TEMPORAL_NAMESPACE'] ?? 'default',
    });
    return new Tenant(options, config, connected, openStore(config));
  }

  get client(): SdkConnection['client'] {
    return this.connected.client;
  }

  /** Where its sessions work. */
  get workingFolder(): string {
    return join(this.options.folder, 'workspaces', this.options.host);
  }

  async begin(): Promise<SessionStore> {
    const { config, store } = this;
    mkdirSync(this.workingFolder, { recursive: true });
    const fingerprint = fingerprintOf(config);
    return store.createSession({
      sessionId: randomUUID(),
      cwd: this.workingFolder,
      taskQueue: backgroundQueue(store.place, fingerprint),
      createdAt: new Date().toISOString(),
      fingerprint,
      persistent: true,
      workspace: config.workspace,
    });
  }

  /** Resolves with the Workflow id of the query, when the session has the message. */
  async say(session: SessionStore, content: string): Promise<string> {
    const settings = {
      model: null,
      defaultMode: 'default' as const,
      additionalDirectories: [],
      autoCompact: true,
    };
    const id = randomUUID();
    const message = {
      id,
      content,
      submittedAt: new Date().toISOString(),
      options: { ...defaultRunOptions(this.config, settings), asks: 'people' as const },
    };
    await this.#agent.submit(session, message, { isLast: false });
    return queryWorkflowId(sessionWorkflowId(this.store.place, session.meta.sessionId), id);
  }

  async close(): Promise<void> {
    await this.store.close();
    await this.connected.connection.close();
  }
}
