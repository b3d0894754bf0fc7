import type { InboxMessage } from '../transcript/message';
import type { PermissionAnswer } from '../transcript/permission';
import type { SessionStore } from '../transcript/store';
import type { StreamId } from '../transcript/stream-id';
import type { LogEntry, QueryResult } from '../transcript/session-log';
import { OpenPrompts } from './open-prompts';
import { followAhead } from './output/live-ahead';
import { mergeLive, type MergedItem } from './output/live-merge';
import { replayMessage } from './output/sdk-message';
import { SdkMessages } from './output/sdk-messages';
import type { SessionOutput } from './output/session-output';
import type { SessionConnection, WaitingQuestion } from './session-connection';
import type { Adjustment } from '../workflows/interface';

export interface ConversationOptions {
  readonly version: string;
  readonly replayPrompts: boolean;
  readonly includePartials: boolean;
  readonly includeHooks: boolean;
  /** What the session's hooks are told with the first message; null: nothing, somebody else opened it. */
  readonly opens: 'startup' | 'resume' | null;
  /** true: the client wants to be told when work begins and ends. */
  readonly reportsState: boolean;
  readonly newId: () => string;
}

type SessionState = 'idle' | 'running' | 'requires_action';

/** A command's side of one session: prompts go in, messages come out, and it knows what is still unanswered. */
export class Conversation {
  readonly #connection: SessionConnection;
  readonly #output: SessionOutput;
  readonly #options: ConversationOptions;
  readonly #messages: SdkMessages;
  readonly #prompts = new OpenPrompts();
  readonly #leaving = new AbortController();
  readonly #waiters: (() => void)[] = [];
  #state: SessionState = 'idle';
  /** Questions that nobody has answered, by the record of their call. */
  readonly #questions = new Map<string, StreamId | undefined>();
  #lastResult: QueryResult | null = null;
  #hasSent = false;

  constructor(connection: SessionConnection, output: SessionOutput, options: ConversationOptions) {
    this.#connection = connection;
    this.#output = output;
    this.#options = options;
    this.#messages = new SdkMessages({
      ...options,
      sessionId: connection.sessionId,
      findMessage: (id) => connection.store.findMessage(id),
    });
  }

  get sessionId(): string {
    return this.#connection.sessionId;
  }

  get store(): SessionStore {
    return this.#connection.store;
  }

  get lastResult(): QueryResult | null {
    return this.#lastResult;
  }

  get isRunning(): boolean {
    return !this.#prompts.isEmpty;
  }

  get waiting(): readonly string[] {
    return this.#prompts.waiting;
  }

  /** Prints what happens until `leave` or `detach`, and tells of each entry, with its ISO instant, after it is
   *  printed. */
  async follow(printed: (entry: LogEntry, at: string) => void = () => undefined): Promise<void> {
    await this.#goOnWithUnfinished();
    for await (const item of this.#items()) {
      if (item.type === 'live') {
        await this.#output.message(this.#messages.ofLive(item.event));
        continue;
      }
      await this.#show(item.followed.entry);
      printed(item.followed.entry, item.followed.at);
    }
  }

  /** What the session was left to do counts as asked by this command: it waits for the answers. */
  async takeUp(): Promise<void> {
    this.#prompts.addUnanswered(await this.#connection.unanswered());
    if (this.isRunning) await this.#announce('running');
  }

  /** A message that is known already, answered or not, is not asked twice. Returns false for such a one. */
  async submit(message: InboxMessage): Promise<boolean> {
    if (this.#prompts.has(message.id)) return false;
    if ((await this.#connection.store.findRecord(message.id)) !== undefined) return false;
    this.#prompts.add(message.id);
    await this.#announce('running');
    await this.#connection.submit(this.#withOpening(message));
    return true;
  }

  /** The first message says what opened the session. */
  #withOpening(message: InboxMessage): InboxMessage {
    const { opens } = this.#options;
    if (opens === null || this.#hasSent) return message;
    this.#hasSent = true;
    return { ...message, options: { ...message.options, opensSession: opens } };
  }

  /** Answers a permission question of the session. */
  async answer({ queryId, question }: WaitingQuestion, answer: PermissionAnswer): Promise<void> {
    await this.#connection.answer({ queryId, call: question.call }, answer);
    this.#questions.delete(question.call.recordId);
    await this.#announceQuestions();
  }

  openQuestions(): Promise<readonly WaitingQuestion[]> {
    return this.#connection.openQuestions();
  }

  /** A client that follows states is told that it is waited for. */
  async #announceQuestions(): Promise<void> {
    const isWaitedFor = this.#questions.size > 0;
    if (this.isRunning) await this.#announce(isWaitedFor ? 'requires_action' : 'running');
  }

  /** A question goes with the reply of its call, when that is taken back. */
  async #countQuestions(entry: LogEntry): Promise<void> {
    if (entry.type === 'permission_requested') {
      this.#questions.set(entry.question.call.recordId, entry.stream);
    } else if (entry.type === 'permission_decided') {
      if (!this.#questions.delete(entry.decision.call.recordId)) return;
    } else if (entry.type === 'stream_discarded') {
      for (const [recordId, stream] of this.#questions) {
        if (stream === entry.stream) this.#questions.delete(recordId);
      }
    } else return;
    await this.#announceQuestions();
  }

  async #goOnWithUnfinished(): Promise<void> {
    for (const started of this.#connection.unfinished) {
      this.#prompts.addUnanswered([started.promptId]);
      await this.#announce('running');
      await this.#show(started);
    }
  }

  /** Shows what a command answered as the command itself would have. */
  async tell(text: string): Promise<void> {
    const content = `<local-command-stdout>${text}</local-command-stdout>`;
    const prompt = { id: this.#options.newId(), content, sessionId: this.sessionId };
    await this.#output.message(replayMessage(prompt));
  }

  /** What comes later brings its own. */
  async change(adjustment: Adjustment): Promise<void> {
    if (this.isRunning) await this.#connection.change(adjustment);
  }

  /** Takes a message back that nobody has taken up. false: it is too late, or it is unknown. */
  async withdraw(messageId: string): Promise<boolean> {
    if (!this.#prompts.waiting.includes(messageId)) return false;
    if (!(await this.#connection.withdraw(messageId))) return false;
    this.#prompts.remove(messageId);
    if (!this.isRunning) await this.#announce('idle');
    for (const wake of this.#waiters.splice(0)) wake();
    return true;
  }

  async interrupt(): Promise<void> {
    if (this.isRunning) await this.#connection.interrupt();
  }

  /** Resolves when every prompt has its answer. */
  async settled(): Promise<void> {
    while (this.isRunning) await this.queryEnded();
  }

  /** Resolves when the next query has ended and its result is printed. */
  queryEnded(): Promise<void> {
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#connection.release();
    await this.#connection.close();
  }

  /** Stops looking. What the session does goes on. */
  async detach(): Promise<void> {
    this.#leaving.abort();
    await this.#connection.close();
  }

  #items(): AsyncGenerator<MergedItem, void> {
    const { signal } = this.#leaving;
    const { store } = this.#connection;
    const log = this.#connection.follow(signal);
    return this.#options.includePartials
      ? mergeLive(log, followAhead(store.log, signal))
      : entriesOf(log);
  }

  async #show(entry: LogEntry): Promise<void> {
    for (const message of await this.#messages.ofEntry(entry)) await this.#output.message(message);
    this.#prompts.see(entry);
    await this.#countQuestions(entry);
    if (entry.type !== 'query_ended') return;
    this.#questions.clear();
    this.#lastResult = entry.result;
    if (!this.isRunning) await this.#announce('idle');
    for (const wake of this.#waiters.splice(0)) wake();
  }

  /** Pairs matter: a client that was told `running` keeps the session open until it hears `idle`. */
  async #announce(state: SessionState): Promise<void> {
    if (!this.#options.reportsState || state === this.#state) return;
    this.#state = state;
    await this.#output.message({
      type: 'system',
      subtype: 'session_state_changed',
      state,
      sdk_host_only: true,
      uuid: this.#options.newId(),
      session_id: this.#connection.sessionId,
    });
  }
}

async function* entriesOf(
  log: ReturnType<SessionConnection['follow']>,
): AsyncGenerator<MergedItem, void> {
  for await (const followed of log) yield { type: 'entry', followed };
}
