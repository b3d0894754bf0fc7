/** A sample in three numbers. p95 by nearest rank: a value that was really measured. */
export interface Summary {
  readonly count: number;
  readonly min: number;
  readonly median: number;
  readonly p95: number;
}

/** Fails: Error on an empty sample; a figure that was not measured must not look like one. */
export function summarize(values: readonly number[]): Summary {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => {
    const value = sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
    if (value === undefined) throw new Error('No values to summarize: nothing was measured.');
    return value;
  };
  const middle = sorted.length / 2;
  const median = sorted.length % 2 === 0 ? (at(0.5) + (sorted[middle] ?? at(0.5))) / 2 : at(0.5);
  return { count: sorted.length, min: at(0), median, p95: at(0.95) };
}

export const medianOf = (values: readonly number[]): number => summarize(values).median;

/** Differences between neighbours. */
export function steps(instants: readonly number[]): number[] {
  return instants.slice(1).map((instant, index) => instant - (instants[index] ?? instant));
}
