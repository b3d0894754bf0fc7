import { ActivityFailure, ApplicationFailure, type ActivityOptions } from '@temporalio/workflow';
import { ON_ANOTHER_HOST, PLACED } from './activity-options';

type Where = Pick<ActivityOptions, 'taskQueue' | 'scheduleToStartTimeout'>;

/** A Worker that lives takes what there is in milliseconds. */
const TAKEN_WITHIN = '3s';
/** A host that took nothing is lost, drained, full, or of a build that has no queue of its own. */
const AVOIDED_FOR_MS = 60_000;

/** The host of a shared workspace whose Worker is the one writer of the session: what goes to the queue of all hosts
 *  would be refused by each of the others. Known from a refusal. Where nobody takes something there, it is anybody's
 *  again for a while: refusals are tried again until that Worker lets go of the session. */
export class ServingHost {
  #avoidedUntilMs = 0;

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
    return this.queue === null
      ? {}
      : { taskQueue: this.queue, scheduleToStartTimeout: TAKEN_WITHIN };
  }

  /** Whether a refusal comes back, to be learnt from, or is tried again by the server. */
  get retry(): Pick<ActivityOptions, 'retry'> {
    return Date.now() < this.#avoidedUntilMs ? {} : PLACED;
  }

  found(taskQueue: string): void {
    this.queue = taskQueue;
  }

  /** Nobody has taken what was scheduled there. Another call may have learnt of another one since. */
  missed(taskQueue: string): void {
    this.#avoidedUntilMs = Date.now() + AVOIDED_FOR_MS;
    if (this.queue === taskQueue) this.queue = null;
  }

  forget(): void {
    this.queue = null;
    this.#avoidedUntilMs = 0;
  }
}

/** Task Queue of the host that serves the session, if that is why the Activity was refused; null: it is not. */
export function servingQueueOf(failure: unknown): string | null {
  if (!(failure instanceof ActivityFailure)) return null;
  const { cause } = failure;
  if (!(cause instanceof ApplicationFailure) || cause.type !== ON_ANOTHER_HOST) return null;
  const [queue] = cause.details ?? [];
  return typeof queue === 'string' ? queue : null;
}
