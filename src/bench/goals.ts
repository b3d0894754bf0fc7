import type { Goal } from './report';

/** What everloop promises to be at most, or at least. */
const median = (limit: number): Goal => ({ limit, statistic: 'median' });
const p95 = (limit: number): Goal => ({ limit, statistic: 'p95' });

const atLeast = (limit: number): Goal => ({ limit, statistic: 'median', isLeast: true });

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
  /** A plain prompt, from the start of the process to its end. */
  wholeMs: median(1_000),
  roundMs: median(25),
  tokenP95Ms: p95(20),
  /** While nobody reads stdout. */
  unreadMB: median(20),
  resumeMedianMs: median(300),
  resumeP95Ms: p95(600),
  /** From the kill: a Worker of the host lives on. */
  adoptP95Ms: p95(2_000),
  stopP95Ms: p95(1_000),
  /** Processes that a stop has left behind. */
  none: median(0),
  wakeMs: median(600),
  /** Requests that begin with the bytes of the one before. */
  keptPrefixPercent: atLeast(99),
  /** Compactions and replacements that a run must have seen for its figures to mean anything. */
  someOf: atLeast(1),
  compactions: atLeast(6),
  /** From turn 50 to turn 500. */
  memoryGrowthMB: median(30),
  stateBytes: median(4_096),
  overlapPercent: atLeast(60),
  /** What early tools may cost a reply that has none. */
  extraEvents: median(0),
  earlyOverPlain: median(1.1),
} as const;
