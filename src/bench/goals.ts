import type { Goal } from './report';

/** What everloop promises to be at most. */
const median = (limit: number): Goal => ({ limit, statistic: 'median' });
const p95 = (limit: number): Goal => ({ limit, statistic: 'p95' });

export const GOALS = {
  turnEvents: median(12),
  turnKB: median(2.2),
  /** Median of the last ten turns over that of the first ten. */
  lastOverFirst: 1.2,
  /** Ours over the empty loop's. */
  overBaseline: 1.3,
  turnMs: median(25),
  messageEvents: median(40),
  messageKB: median(10),
  messageMs: median(120),
  startMs: median(800),
  resumeMedianMs: median(300),
  resumeP95Ms: p95(600),
  wakeMs: median(600),
} as const;
