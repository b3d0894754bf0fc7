import { setTimeout as delay } from 'node:timers/promises';
import { DemoFailure } from './demo-failure';

const LOOK_AGAIN_MS = 20;
/** Far more than anything here takes, also on a busy machine. */
const PATIENCE_MS = 60_000;

/** The first value that is there. Fails: DemoFailure that names what did not come. */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    if (Date.now() > deadline) {
      throw new DemoFailure(`Waited ${PATIENCE_MS / 1000} s in vain: ${what}.`);
    }
    await delay(LOOK_AGAIN_MS);
  }
}
