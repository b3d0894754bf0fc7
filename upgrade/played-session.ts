import { plainRunOptions } from '../src/transcript/plain-run-options';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { create } from '../src/cli/open-session';
import type { AgentClient } from '../src/client/agent-client';
import { sessionWorkflowId } from '../src/transcript/place';
import type { RunOptions } from '../src/transcript/message';
import type { QueryResult } from '../src/transcript/session-log';
import type { SessionStore } from '../src/transcript/store';
import type { QueryStatus } from '../src/workflows/interface';
import { conversationOf } from './conversation';
import { until, untilSo } from './until';
import { NEAR_ROLLOVER_EVENTS, type World } from './world';

const OPTIONS = plainRunOptions('claude-sonnet-4-6', 'bypassPermissions');
const PATIENCE_MS = 240_000;

/** A session of the show, from its client's side. */
export class PlayedSession {
  readonly cwd: string;
  readonly agent: AgentClient;
  firstPrompt = '';

  private constructor(
    readonly world: World,
    readonly situation: string,
    /** Of its folder. */
    readonly name: string,
    readonly store: SessionStore,
  ) {
    this.cwd = store.meta.cwd;
    this.agent = world.agent(situation === 'rollover' ? NEAR_ROLLOVER_EVENTS : 500);
  }

  /** A new one in a folder of its own. `workspace`: the host whose files it works with. */
  static async create(
    world: World,
    of: { readonly situation: string; readonly name: string; readonly workspace: string },
  ): Promise<PlayedSession> {
    const cwd = join(world.root, 'work', of.name);
    mkdirSync(cwd, { recursive: true });
    const request = { serve: 'background', persistent: true } as const;
    const store = await create(world.host(of.workspace), request, { sessionId: null, cwd });
    return new PlayedSession(world, of.situation, of.name, store);
  }

  get sessionId(): string {
    return this.store.meta.sessionId;
  }

  get workflowId(): string {
    return sessionWorkflowId(this.world.host('clerk').store.place, this.sessionId);
  }

  /** Resolves with the message's id when the session has accepted it. */
  async say(content: string, options: Partial<RunOptions> = {}): Promise<string> {
    const id = randomUUID();
    const submittedAt = new Date().toISOString();
    const message = { id, content, submittedAt, options: { ...OPTIONS, ...options } };
    await this.agent.submit(this.store, message, { isLast: false });
    if (this.firstPrompt === '') this.firstPrompt = id;
    return id;
  }

  async resultOf(promptId: string): Promise<QueryResult> {
    for await (const { entry } of this.store.log.follow(null, AbortSignal.timeout(PATIENCE_MS))) {
      if (entry.type === 'query_ended' && entry.promptId === promptId) return entry.result;
    }
    throw new Error(`${this.name}: prompt ${promptId} did not end in ${PATIENCE_MS / 1_000} s.`);
  }

  /** Files of its folder. */
  has(file: string): boolean {
    return existsSync(join(this.cwd, file));
  }

  write(file: string): void {
    writeFileSync(join(this.cwd, file), '');
  }

  read(file: string): string {
    return this.has(file) ? readFileSync(join(this.cwd, file), 'utf8') : '';
  }

  /** Resolves when there is the file. */
  async seen(file: string): Promise<void> {
    await untilSo(`${this.name}: file ${file}`, () => this.has(file));
  }

  /** Resolves when the running query is so. */
  async whenQuery(what: string, is: (status: QueryStatus) => boolean): Promise<void> {
    await until(`${this.name}: ${what}`, async () => {
      const status = await this.agent.queryStatus(this.sessionId).catch(() => undefined);
      return status !== undefined && is(status) ? status : undefined;
    });
  }

  /** What was said, in words that are the same for each run of the same work. */
  async conversation(): Promise<readonly string[]> {
    const leaf = await this.store.lastLeaf();
    return conversationOf(leaf === null ? [] : await this.store.chain(leaf), this.name);
  }
}
