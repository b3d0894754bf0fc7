/** Seconds of work, and parts of it, that must be seen before anything is foretold. */
const LEAST_MS = 5_000;
const LEAST_PART = 0.02;
const MOST_SAMPLES = 256;

interface Sample {
  readonly atMs: number;
  readonly done: number;
}

/** Foretells the end of work by the pace of its newer half: what comes first is often quicker or slower than the rest.
 *  As long as nothing gets done, the pace falls, and what is left grows. Pure: the clock is the caller's. */
export class Eta {
  readonly #leastDone: number;
  /** Oldest first. */
  #samples: Sample[];

  /** `leastDone`: as little is no evidence; several that run side by side end together. */
  constructor(startedAtMs: number, leastDone: number = 0) {
    this.#samples = [{ atMs: startedAtMs, done: 0 }];
    this.#leastDone = leastDone;
  }

  /** So much is done. Units: the caller's, as those of `leftMs`. */
  saw(done: number, atMs: number): void {
    this.#samples.push({ atMs, done });
    if (this.#samples.length > MOST_SAMPLES) {
      this.#samples = this.#samples.filter(
        (_sample, index, all) => index % 2 === 0 || index === all.length - 1,
      );
    }
  }

  /** ms; null: too little has been seen. */
  leftMs(total: number, nowMs: number): number | null {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined) return null;
    const { done } = last;
    if (done >= total) return 0;
    const isEnough =
      done >= this.#leastDone && done >= LEAST_PART * total && nowMs - first.atMs >= LEAST_MS;
    if (!isEnough || done === 0) return null;
    const half = this.#samples.findLast((sample) => sample.done <= done / 2) ?? first;
    return ((total - done) * (nowMs - half.atMs)) / (done - half.done);
  }
}

const MINUTE_MS = 60_000;

/** As exact as it can be meant: "about 40 s left", "about 12 min left", "about 2.5 h left". */
export function leftText(leftMs: number): string {
  if (leftMs < 5_000) return 'nearly done';
  if (leftMs < 1.5 * MINUTE_MS) return `about ${5 * Math.round(leftMs / 5_000)} s left`;
  if (leftMs < 90 * MINUTE_MS) return `about ${Math.round(leftMs / MINUTE_MS)} min left`;
  return `about ${(Math.round(leftMs / (30 * MINUTE_MS)) / 2).toFixed(1)} h left`;
}
