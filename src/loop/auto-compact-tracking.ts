/** What a conversation knows of its compactions (spec/loop 1.1, 3.7e, 3.7f). Carried between queries of a session. */
export interface AutoCompactTracking {
  /** false: attempts failed and none succeeded yet. */
  readonly compacted: boolean;
  /** Names the compaction: the record that its context ends with. */
  readonly turnId: string;
  /** Iterations since the compaction. */
  readonly turnCounter: number;
  readonly consecutiveFailures: number;
  /** Compactions in a row after which the context was full again within three iterations. */
  readonly rapidRefills: number;
}

/** After so many failed summaries in a row no more are tried. */
export const MAX_COMPACT_FAILURES = 3;
/** A context that is full again within so many iterations was refilled rapidly. */
const RAPID_REFILL_TURNS = 3;
/** So many rapid refills in a row end the query: every further summary would be paid for nothing. */
const MAX_RAPID_REFILLS = 3;

const NOTHING_YET: AutoCompactTracking = {
  compacted: false,
  turnId: '',
  turnCounter: 0,
  consecutiveFailures: 0,
  rapidRefills: 0,
};

export const AutoCompactTracking = {
  /** Each iteration after a compaction counts. */
  nextIteration(tracking: AutoCompactTracking | null): AutoCompactTracking | null {
    return tracking?.compacted === true
      ? { ...tracking, turnCounter: tracking.turnCounter + 1 }
      : tracking;
  },

  /** The context is full: again already? After a failed summary it still is, which is no refill. */
  full(tracking: AutoCompactTracking | null): AutoCompactTracking {
    const known = tracking ?? NOTHING_YET;
    if (known.consecutiveFailures > 0) return known;
    const isRapid = known.compacted && known.turnCounter <= RAPID_REFILL_TURNS;
    return { ...known, rapidRefills: isRapid ? known.rapidRefills + 1 : 0 };
  },

  succeeded(tracking: AutoCompactTracking, leaf: string): AutoCompactTracking {
    return {
      ...tracking,
      compacted: true,
      turnId: leaf,
      turnCounter: 0,
      consecutiveFailures: 0,
    };
  },

  failed: (tracking: AutoCompactTracking): AutoCompactTracking => ({
    ...tracking,
    consecutiveFailures: tracking.consecutiveFailures + 1,
  }),

  isThrashing: ({ rapidRefills }: AutoCompactTracking): boolean =>
    rapidRefills >= MAX_RAPID_REFILLS,

  /** true: the breaker is open, no more attempts. */
  hasGivenUp: (tracking: AutoCompactTracking | null): boolean =>
    tracking !== null && tracking.consecutiveFailures >= MAX_COMPACT_FAILURES,
};
