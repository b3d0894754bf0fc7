import { ActivityFailure, ApplicationFailure, type ActivityOptions } from '@temporalio/workflow';
import { ON_ANOTHER_HOST } from './activity-options';

type Where = Pick<ActivityOptions, 'taskQueue' | 'scheduleToStartTimeout'>;

/** A Worker that lives takes what there is in milliseconds. */
const TAKEN_WITHIN_MS = 3_000;
/** One that has all its slots taken is asked less and less often. */
const MOST_MS = 60_000;

/** The host of a shared workspace whose Worker is the one writer of the session: what goes to the queue of all hosts
 *  would be refused by each of the others. Known from a refusal; where nobody takes something there, it is anybody's
 *  again. */
export class ServingHost {
  #missed = 0;

  private constructor(private queue: string | null) {}

  /** `queue`: where it was served before; absent: anybody may. */
  static known(queue: string | undefined): ServingHost {
    return new ServingHost(queue ?? null);
  }

  /** Its Task Queue; null: none is known. */
  get taskQueue(): string | null {
    return this.queue;
  }

  /** Nothing, as long as none is known. */
  get where(): Where {
    if (this.queue === null) return {};
    const scheduleToStartTimeout = Math.min(TAKEN_WITHIN_MS * 2 ** this.#missed, MOST_MS);
    return { taskQueue: this.queue, scheduleToStartTimeout };
  }

  /** Whether the failure says who serves the session. */
  learn(failure: unknown): boolean {
    const queue = servingQueueOf(failure);
    if (queue === null) return false;
    this.queue = queue;
    return true;
  }

  reached(taskQueue: string | null): void {
    if (taskQueue !== null) this.#missed = 0;
  }

  /** Nobody has taken what was scheduled there. Another call may have learnt of another one since. */
  missed(taskQueue: string): void {
    this.#missed += 1;
    if (this.queue === taskQueue) this.queue = null;
  }

  forget(): void {
    this.queue = null;
    this.#missed = 0;
  }
}

function servingQueueOf(failure: unknown): string | null {
  if (!(failure instanceof ActivityFailure)) return null;
  const { cause } = failure;
  if (!(cause instanceof ApplicationFailure) || cause.type !== ON_ANOTHER_HOST) return null;
  const [queue] = cause.details ?? [];
  return typeof queue === 'string' ? queue : null;
}
