import { sessionIdOf } from '../loop/workflow-id';
import type { RunNotes } from './run-notes';

/** How many attempts run here, by session. */
export class RunningAttempts {
  readonly #bySession = new Map<string, number>();

  has(sessionId: string): boolean {
    return this.#bySession.has(sessionId);
  }

  get count(): number {
    return [...this.#bySession.values()].reduce((sum, attempts) => sum + attempts, 0);
  }

  /** Notes that are counted here as well. */
  counted(notes: RunNotes): RunNotes {
    return {
      noteAttempt: (attempt) => {
        const sessionId = sessionIdOf(attempt.workflowId);
        this.#add(sessionId, 1);
        const forget = notes.noteAttempt(attempt);
        return () => {
          this.#add(sessionId, -1);
          forget();
        };
      },
      clear: () => notes.clear(),
    };
  }

  #add(sessionId: string, attempts: number): void {
    const now = (this.#bySession.get(sessionId) ?? 0) + attempts;
    if (now === 0) this.#bySession.delete(sessionId);
    else this.#bySession.set(sessionId, now);
  }
}
