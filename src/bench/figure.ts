import type { Figure, Goal, Unit } from './report';
import { summarize } from './summary';

/** A figure of a sample. */
export function sampled(name: string, unit: Unit, values: readonly number[], goal?: Goal): Figure {
  return { name, unit, ...summarize(values), ...(goal && { goal }) };
}

/** A figure that is one number. */
export function single(name: string, unit: Unit, value: number, goal?: number | Goal): Figure {
  return sampled(
    name,
    unit,
    [value],
    typeof goal === 'number' ? { limit: goal, statistic: 'median' } : goal,
  );
}
