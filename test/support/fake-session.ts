import { randomUUID } from 'node:crypto';
import { on, EventEmitter } from 'node:events';
import type { ContentBlock } from '@anthropic-ai/sdk/resources/messages';
import { NO_USAGE } from '../../src/loop/usage';
import type {
  SessionConnection,
  SessionStanding,
  WaitingQuestion,
} from '../../src/cli/session-connection';
import type { QueryStarted } from '../../src/cli/session-past';
import type { PermissionAnswer } from '../../src/transcript/permission';
import type { InboxMessage } from '../../src/transcript/message';
import type { AssistantRecord, RecordBase, UserRecord } from '../../src/transcript/record';
import type {
  FollowedEntry,
  LiveEvent,
  LogEntry,
  QueryResult,
} from '../../src/transcript/session-log';
import type { SessionStore } from '../../src/transcript/store';
import type { Adjustment } from '../../src/workflows/interface';

export const SESSION_ID = '00000000-0000-4000-8000-00000000c0de';
const AT = '2026-01-02T03:04:05.000Z';

/** A session without a Workflow: what it does with a message is for the test to say. */
export class FakeSession implements SessionConnection {
  readonly sessionId = SESSION_ID;
  readonly messages: InboxMessage[] = [];
  readonly calls: string[] = [];
  /** Questions that an earlier process left behind. */
  readonly questions: WaitingQuestion[] = [];
  /** What an earlier process was asked. */
  unfinished: readonly QueryStarted[] = [];
  /** Messages that a stop drops. */
  readonly waiting: InboxMessage[] = [];
  /** Ids of records that an earlier process left behind. */
  readonly oldRecords = new Set<string>();
  readonly #log = new EventEmitter();
  readonly #entries: LogEntry[] = [];
  readonly #live = new Map<string, AsyncIterable<LiveEvent>>();

  constructor(
    readonly onSubmit: (message: InboxMessage, session: FakeSession) => void = () => undefined,
    readonly onInterrupt: (session: FakeSession) => void = () => undefined,
  ) {}

  get store(): SessionStore {
    return partOf<SessionStore>({
      findMessage: async (id: string) => this.messages.find((message) => message.id === id),
      findRecord: async (id: string) =>
        this.oldRecords.has(id) ? userRecord({ uuid: id, content: 'old' }) : undefined,
      folderPath: (name) => `/no/such/folder/${name}`,
      log: partOf<SessionStore['log']>({
        followLive: (live: string) => toGenerator(this.#live.get(live) ?? []),
      }),
    });
  }

  play(...entries: readonly LogEntry[]): void {
    this.#entries.push(...entries);
    this.#log.emit('more');
  }

  addLive(name: string, events: AsyncIterable<LiveEvent>): void {
    this.#live.set(name, events);
  }

  async submit(message: InboxMessage): Promise<void> {
    this.calls.push('submit');
    this.messages.push(message);
    this.onSubmit(message, this);
  }

  async answer(
    of: { readonly call: { readonly id: string } },
    answer: PermissionAnswer,
  ): Promise<void> {
    this.calls.push(`${answer.behavior} ${of.call.id}`);
  }

  async openQuestions(): Promise<readonly WaitingQuestion[]> {
    return this.questions;
  }

  async unanswered(): Promise<readonly string[]> {
    return this.unfinished.map(({ promptId }) => promptId);
  }

  async standing(): Promise<SessionStanding> {
    return { isServed: true, query: null, endedUsd: 0 };
  }

  async change(adjustment: Adjustment): Promise<void> {
    this.calls.push(`change ${JSON.stringify(adjustment)}`);
  }

  async withdraw(messageId: string): Promise<boolean> {
    this.calls.push(`withdraw ${messageId}`);
    return true;
  }

  async interrupt(): Promise<void> {
    this.calls.push('interrupt');
    this.onInterrupt(this);
  }

  async stop(): Promise<readonly InboxMessage[]> {
    this.calls.push('stop');
    return this.waiting;
  }

  async *follow(signal: AbortSignal): AsyncGenerator<FollowedEntry, void> {
    const more = on(this.#log, 'more', { signal });
    try {
      for (let index = 0; !signal.aborted;) {
        const entry = this.#entries[index];
        if (entry) yield { cursor: String(++index), at: AT, entry };
        else await more.next();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async release(): Promise<void> {
    this.calls.push('release');
  }

  async close(): Promise<void> {
    this.calls.push('close');
  }
}

/** Answers every prompt with one text, at once. */
export function answers(text: (message: InboxMessage) => string) {
  return (message: InboxMessage, session: FakeSession): void => {
    const answer = text(message);
    session.play(
      queryStarted(message),
      promptRecord(message),
      reply([textBlock(answer)])[0]!,
      queryEnded(message.id, { result: answer }),
    );
  };
}

const queryIdOf = (promptId: string): string => `query-${promptId}`;

export function queryStarted(prompt: { id: string; options?: { model: string } }): LogEntry {
  return {
    type: 'query_started',
    queryId: queryIdOf(prompt.id),
    promptId: prompt.id,
    init: {
      cwd: '/project',
      model: prompt.options?.model ?? 'claude-sonnet-4-5',
      permissionMode: 'default',
      tools: ['Read', 'Bash'],
      slashCommands: [],
      apiKeySource: 'ANTHROPIC_API_KEY',
    },
  };
}

export function queryEnded(promptId: string, result: Partial<QueryResult> = {}): LogEntry {
  return {
    type: 'query_ended',
    queryId: queryIdOf(promptId),
    promptId,
    result: {
      subtype: 'success',
      is_error: false,
      duration_ms: 20,
      duration_api_ms: 10,
      num_turns: 1,
      stop_reason: 'end_turn',
      total_cost_usd: 0.001,
      usage: NO_USAGE,
      modelUsage: {},
      permission_denials: [],
      terminal_reason: 'completed',
      uuid: randomUUID(),
      ...result,
    },
  };
}

export const interrupted: Partial<QueryResult> = {
  subtype: 'error_during_execution',
  is_error: true,
  terminal_reason: 'aborted_streaming',
  errors: ['interrupted'],
};

export function promptRecord(message: InboxMessage, queryOf: string = message.id): LogEntry {
  const record = userRecord({ uuid: message.id, content: message.content });
  return { type: 'record', queryId: queryIdOf(queryOf), record };
}

export function record(promptId: string, of: UserRecord | AssistantRecord): LogEntry {
  return { type: 'record', queryId: queryIdOf(promptId), record: of };
}

/** The blocks of one reply, one record each, with the same message id. */
export function reply(blocks: readonly ContentBlock[], stream = 'stream-1'): LogEntry[] {
  const id = `msg_${randomUUID()}`;
  return blocks.map((block) => ({
    type: 'record',
    queryId: 'query',
    stream,
    record: assistantRecord(id, block),
  }));
}

export function assistantRecord(id: string, block: ContentBlock): AssistantRecord {
  return {
    ...base(randomUUID()),
    type: 'assistant',
    message: {
      id,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [block],
      stop_reason: null,
      stop_sequence: null,
      usage: NO_USAGE,
    },
  };
}

export function userRecord(of: {
  uuid?: string;
  content: UserRecord['message']['content'];
}): UserRecord {
  return {
    ...base(of.uuid ?? randomUUID()),
    type: 'user',
    message: { role: 'user', content: of.content },
  };
}

export const textBlock = (text: string): ContentBlock => ({ type: 'text', text, citations: null });

function base(uuid: string): RecordBase {
  return {
    uuid,
    parentUuid: null,
    sessionId: SESSION_ID,
    timestamp: AT,
    cwd: '/project',
    version: '0.0.0',
    userType: 'external',
    isSidechain: false,
  };
}

async function* toGenerator<T>(items: AsyncIterable<T> | Iterable<T>): AsyncGenerator<T, void> {
  yield* items;
}

/** What a test does not give fails when it is used. */
function partOf<T extends object>(part: Partial<T>): T {
  return new Proxy(part, {
    get: (target, name) => {
      if (name in target) return Reflect.get(target, name) as unknown;
      throw new Error(`The fake has no ${String(name)}.`);
    },
  }) as T;
}
