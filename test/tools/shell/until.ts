import { setTimeout as delay } from 'node:timers/promises';

const DEADLINE_MS = 60_000;

/** Polls until the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline)
      throw new Error(`Not so after ${DEADLINE_MS} ms: ${String(condition)}`);
    await delay(10);
  }
}
