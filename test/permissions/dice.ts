/** Numbers from a seed: the same lines on every machine. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** In [0, 1). Mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  }

  chance(part: number): boolean {
    return this.next() < part;
  }

  upTo(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  pick<T>(...of: readonly [T, ...T[]]): T {
    return of[this.upTo(of.length)] ?? of[0];
  }
}
