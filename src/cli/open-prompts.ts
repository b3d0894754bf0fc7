import type { LogEntry } from '../transcript/session-log';

/** Prompts of this command that have no answer yet. A prompt is answered when the query that took it up has ended:
 *  its own, or one that was running and heard it between two turns. */
export class OpenPrompts {
  /** null: no query has taken it up. */
  readonly #queryOf = new Map<string, string | null>();
  readonly #answered = new Set<string>();

  add(promptId: string): void {
    this.#queryOf.set(promptId, null);
  }

  /** Prompts that others have sent. Whoever says that they are open may not have heard of the answer yet. */
  addUnanswered(promptIds: readonly string[]): void {
    for (const promptId of promptIds) {
      if (!this.#answered.has(promptId) && !this.has(promptId)) this.add(promptId);
    }
  }

  /** It was taken back. */
  remove(promptId: string): void {
    this.#queryOf.delete(promptId);
  }

  has(promptId: string): boolean {
    return this.#queryOf.has(promptId);
  }

  get isEmpty(): boolean {
    return this.#queryOf.size === 0;
  }

  /** In the order in which they were sent. */
  get waiting(): readonly string[] {
    return [...this.#queryOf].filter(([, queryId]) => queryId === null).map(([id]) => id);
  }

  see(entry: LogEntry): void {
    if (entry.type === 'query_started') this.#takeUp(entry.promptId, entry.queryId);
    if (entry.type === 'record') this.#takeUp(entry.record.uuid, entry.queryId);
    if (entry.type !== 'query_ended') return;
    this.#answered.add(entry.promptId);
    this.#queryOf.delete(entry.promptId);
    for (const [promptId, queryId] of this.#queryOf) {
      if (queryId !== entry.queryId) continue;
      this.#answered.add(promptId);
      this.#queryOf.delete(promptId);
    }
  }

  #takeUp(promptId: string, queryId: string): void {
    if (this.#queryOf.has(promptId)) this.#queryOf.set(promptId, queryId);
  }
}
