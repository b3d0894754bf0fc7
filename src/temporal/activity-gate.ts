import { ApplicationFailure } from '@temporalio/common';
import type {
  ActivityInterceptorsFactory,
  ActivitySlotInfo,
  CustomSlotSupplier,
  TunerHolder,
} from '@temporalio/worker';

/** What the SDK does by itself where nobody tunes it. */
const MOST_ACTIVITIES = 100;
const OTHERS = { type: 'fixed-size', numSlots: 100 } as const;
const WORKFLOW_TASKS = { type: 'fixed-size', numSlots: 40 } as const;

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

  /** Of one Worker. A poller asks for a slot before it polls, so that a closed gate ends the polling. */
  tuner(): TunerHolder {
    return {
      workflowTaskSlotSupplier: WORKFLOW_TASKS,
      activityTaskSlotSupplier: this.#slots(),
      localActivityTaskSlotSupplier: OTHERS,
      nexusTaskSlotSupplier: OTHERS,
    };
  }

  /** A poll that was on its way when the gate closed may still bring one task: it goes back to the queue. */
  readonly turnBack: ActivityInterceptorsFactory = () => ({
    inbound: {
      execute: async (input, next) => {
        if (this.#isOpen) return next(input);
        throw ApplicationFailure.create({
          type: 'Worker.Drained',
          message: 'The host is drained: it takes nothing new (everloop workspace ls).',
          nextRetryDelay: '1ms',
        });
      },
    },
  });

  #slots(): CustomSlotSupplier<ActivitySlotInfo> {
    let taken = 0;
    const permit = {};
    const take = (): typeof permit | null => {
      if (!this.#isOpen || taken === MOST_ACTIVITIES) return null;
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
