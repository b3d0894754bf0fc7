import { ApplicationFailure } from '@temporalio/common';
import type {
  ActivityInterceptorsFactory,
  ActivitySlotInfo,
  CustomSlotSupplier,
} from '@temporalio/worker';

/** Whether Workers of this process take Activities. Those that run are left alone when it closes. */
export class ActivityGate {
  #isOpen = true;
  readonly #onChange = new Set<() => void>();

  get isOpen(): boolean {
    return this.#isOpen;
  }

  set isOpen(isOpen: boolean) {
    this.#isOpen = isOpen;
    for (const tell of [...this.#onChange]) tell();
  }

  /** A poll that was on its way when the gate closed may still bring one task: it goes back to the queue. */
  turnBack(afterMs: number): ActivityInterceptorsFactory {
    return () => ({
      inbound: {
        execute: async (input, next) => {
          if (this.#isOpen) return next(input);
          throw ApplicationFailure.create({
            type: 'Worker.Drained',
            message: 'The host is drained: it takes nothing new (everloop workspace ls).',
            nextRetryDelay: afterMs,
          });
        },
      },
    });
  }

  /** Of one Worker, so many. A poller asks for a slot before it polls, so that a closed gate ends the polling. */
  slots(most: number): CustomSlotSupplier<ActivitySlotInfo> {
    let taken = 0;
    const permit = {};
    const take = (): typeof permit | null => {
      if (!this.#isOpen || taken === most) return null;
      taken += 1;
      return permit;
    };
    return {
      type: 'custom',
      tryReserveSlot: take,
      reserveSlot: (_context, aborted) =>
        new Promise((resolve, reject) => {
          const tryToTake = (): void => {
            if (!aborted.aborted && take() === null) return;
            this.#onChange.delete(tryToTake);
            aborted.removeEventListener('abort', tryToTake);
            if (aborted.aborted) reject(aborted.reason as Error);
            else resolve(permit);
          };
          this.#onChange.add(tryToTake);
          aborted.addEventListener('abort', tryToTake);
          tryToTake();
        }),
      markSlotUsed: () => undefined,
      releaseSlot: () => {
        taken -= 1;
        for (const tell of [...this.#onChange]) tell();
      },
    };
  }
}
