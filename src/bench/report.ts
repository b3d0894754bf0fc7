import type { Summary } from './summary';

/** What a benchmark run found; the file that `--json` writes.
 *  Shape: `{schema, startedAt, machine, sections: [{name, title, load, figures, curves, notes}]}`.
 *  Units: each figure and curve names its own; KB is 1,000 bytes. */
export interface Report {
  readonly schema: 1;
  /** ISO instant. */
  readonly startedAt: string;
  readonly machine: Machine;
  readonly sections: readonly Section[];
}

export interface Machine {
  readonly cores: number;
  readonly cpu: string;
  readonly node: string;
  readonly platform: string;
  /** Of the Temporal command line that ran the server. */
  readonly temporalCli: string;
}

/** One part of the benchmark, as chosen by `--only`. */
export interface Section extends Measured {
  readonly name: string;
  readonly title: string;
  /** Load average of one minute: a busy machine makes every wall time larger. */
  readonly load: { readonly before: number; readonly after: number };
}

export interface Measured {
  readonly figures: readonly Figure[];
  readonly curves: readonly Curve[];
  /** What a reader must know to read the figures. */
  readonly notes: readonly string[];
}

export interface Figure extends Summary {
  readonly name: string;
  readonly unit: Unit;
  readonly goal?: Goal;
}

export type Unit =
  'ms' | 's' | 'events' | 'bytes' | 'KB' | 'MB' | 'ratio' | '%' | 'requests' | 'turns' | 'times';

/** Reached when the statistic is not above the limit, or with `isLeast`, not below it. */
export interface Goal {
  readonly limit: number;
  readonly statistic: 'min' | 'median' | 'p95';
  readonly isLeast?: true;
}

/** For plots: values against turn numbers. */
export interface Curve {
  readonly name: string;
  readonly plot: 'bytes' | 'ms';
  readonly points: readonly (readonly [turn: number, value: number])[];
}

export function isReached(figure: Figure): boolean | null {
  const { goal } = figure;
  if (goal === undefined) return null;
  const value = figure[goal.statistic];
  return goal.isLeast === true ? value >= goal.limit : value <= goal.limit;
}
