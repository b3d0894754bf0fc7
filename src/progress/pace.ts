const EVERY_MS = 10_000;
const EVERY_PART = 0.05;
const LEAST_MS = 1_000;

/** When it is time for the next line of a log: soon enough to see that work goes on, seldom enough to be read.
 *  Pure: the clock is the caller's. */
export class Pace {
  #lastMs = -Infinity;
  #lastPart = 0;

  /** Whether a line is due now: 10 s have passed, or a twentieth more is done and a second has passed. One that is due
   *  counts as printed. `part`: how much is done, from 0 to 1; null: nobody knows. */
  isDue(nowMs: number, part: number | null): boolean {
    const sinceMs = nowMs - this.#lastMs;
    const isFurther = part !== null && part - this.#lastPart >= EVERY_PART;
    if (sinceMs < EVERY_MS && !(isFurther && sinceMs >= LEAST_MS)) return false;
    this.#lastMs = nowMs;
    this.#lastPart = part ?? 0;
    return true;
  }
}
