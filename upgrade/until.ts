import { setTimeout as delay } from 'node:timers/promises';

const LOOK_AGAIN_MS = 100;
/** Longer than anything takes that works, on a machine that has much else to do. */
const PATIENCE_MS = 120_000;

/** The first value that is there.
 *  Fails: Error that names what did not come. */
export async function until<T>(
  what: string,
  look: () => T | undefined | Promise<T | undefined>,
): Promise<T> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await delay(LOOK_AGAIN_MS);
  }
  throw new Error(`Waited ${PATIENCE_MS / 1_000} s in vain: ${what}.`);
}

/** The same for what is so or is not. */
export async function untilSo(what: string, look: () => boolean | Promise<boolean>): Promise<void> {
  await until(what, async () => ((await look()) ? true : undefined));
}
