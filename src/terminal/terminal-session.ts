import { followAhead } from '../cli/output/live-ahead';
import { mergeLive } from '../cli/output/live-merge';
import type { SessionChoice } from '../cli/command';
import { messageOf } from '../cli/cli-error';
import type { SessionConnection, WaitingQuestion } from '../cli/session-connection';
import type { OpenSession } from '../cli/session-request';
import type { RunOptions } from '../transcript/message';
import type { PermissionAnswer } from '../transcript/permission';
import type { FollowedEntry, LogCursor } from '../transcript/session-log';
import { ScreenModel } from './screen-model';
import { readScreenPast } from './screen-past';

export interface TerminalSessionDeps {
  readonly openSession: OpenSession;
  readonly persistent: boolean;
  /** Of a new session. Absolute. */
  readonly cwd: string;
  readonly newId: () => string;
  readonly now: () => string;
  /** The screen shows something else now. */
  readonly changed: () => void;
}

/** One session behind the screen: opened when it is needed, followed until it is left. Its failures are shown. */
export class TerminalSession {
  readonly screen = new ScreenModel();
  readonly #choice: SessionChoice;
  readonly #deps: TerminalSessionDeps;
  readonly #leaving = new AbortController();
  #opening: Promise<SessionConnection> | null = null;
  #connection: SessionConnection | null = null;
  #hasSent = false;

  constructor(choice: SessionChoice, deps: TerminalSessionDeps) {
    this.#choice = choice;
    this.#deps = deps;
  }

  /** null: nothing was opened. */
  get sessionId(): string | null {
    return this.#connection?.sessionId ?? null;
  }

  /** It has something to do. */
  get isBusy(): boolean {
    return this.screen.isWorking || this.screen.waiting.length > 0;
  }

  /** Shows the past and goes on. A new session is not opened before something is asked. */
  async reopen(): Promise<void> {
    if (this.#choice.type !== 'new') await this.#shown(() => this.#open());
  }

  async submit(text: string, options: RunOptions): Promise<void> {
    const { newId, now, changed } = this.#deps;
    const id = newId();
    this.screen.sent({ id, text, isAccepted: false });
    changed();
    const sent = await this.#shown(async () => {
      const connection = await this.#open();
      const opensSession = this.#choice.type === 'new' ? 'startup' : 'resume';
      const opening = this.#hasSent ? {} : ({ opensSession } as const);
      this.#hasSent = true;
      await connection.submit({
        id,
        content: text,
        submittedAt: now(),
        options: { ...options, ...opening, asks: 'people' },
      });
    });
    if (sent) this.screen.accepted(id);
    else this.screen.unsent(id);
    changed();
  }

  async interrupt(): Promise<void> {
    await this.#shown(async () => this.#connection?.interrupt());
  }

  async answer({ queryId, question }: WaitingQuestion, answer: PermissionAnswer): Promise<void> {
    this.screen.answered(question.call.recordId);
    this.#deps.changed();
    await this.#shown(async () =>
      this.#connection?.answer({ queryId, call: question.call }, answer),
    );
  }

  /** No more is asked: the session ends with what it does. */
  async leave(): Promise<void> {
    this.#leaving.abort();
    const connection = await this.#opening?.catch(() => null);
    await connection?.release();
    await connection?.close();
  }

  /** Stops looking, and serving. What the session does is for others to go on with. */
  async detach(): Promise<void> {
    this.#leaving.abort();
    const connection = await this.#opening?.catch(() => null);
    await connection?.close();
  }

  /** false: it failed, and the screen says so. */
  async #shown(work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!this.#leaving.signal.aborted) this.screen.notice(messageOf(error), 'error');
      this.#deps.changed();
      return false;
    }
  }

  /** What failed is tried again with the next message. */
  #open(): Promise<SessionConnection> {
    this.#opening ??= this.#connect().catch((error: unknown) => {
      this.#opening = null;
      throw error;
    });
    return this.#opening;
  }

  async #connect(): Promise<SessionConnection> {
    const { openSession, persistent, cwd } = this.#deps;
    const connection = await openSession({
      choice: this.#choice,
      serve: 'foreground',
      persistent,
      cwd,
    });
    this.#connection = connection;
    const { older, entries, cursor } = await readScreenPast(connection.store);
    for (const record of older) this.screen.seeOlder(record);
    for (const followed of entries) await this.#see(connection, followed);
    this.#deps.changed();
    void this.#shown(() => this.#follow(connection, cursor));
    if (this.#choice.type !== 'new') void this.#shown(() => this.#showUnanswered(connection));
    return connection;
  }

  async #follow(connection: SessionConnection, from: LogCursor | null): Promise<void> {
    const { signal } = this.#leaving;
    const { log } = connection.store;
    for await (const item of mergeLive(connection.follow(signal, from), followAhead(log, signal))) {
      if (item.type === 'entry') await this.#see(connection, item.followed);
      else this.screen.seeLive(item.event);
      this.#deps.changed();
    }
  }

  /** What was typed while the agent worked is told to the model in other words: its own lie in the store. */
  async #see(connection: SessionConnection, followed: FollowedEntry): Promise<void> {
    const record = followed.entry.type === 'record' ? followed.entry.record : null;
    if (record?.type === 'attachment' && record.attachment.type === 'queued_message') {
      await this.#recall(connection, record.uuid);
    }
    this.screen.see(followed);
  }

  /** Messages that wait for their turn were sent by whoever was here before. */
  async #showUnanswered(connection: SessionConnection): Promise<void> {
    for (const id of await connection.unanswered()) await this.#recall(connection, id);
    this.#deps.changed();
  }

  /** Nothing when no message has that id. */
  async #recall({ store }: SessionConnection, id: string): Promise<void> {
    const message = await store.findMessage(id);
    if (message === undefined) return;
    const text = typeof message.content === 'string' ? message.content : '…';
    this.screen.sent({ id, text, isAccepted: true });
  }
}
