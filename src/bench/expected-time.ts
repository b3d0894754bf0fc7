import type { SectionName, Size } from './options';

/** A run of so few turns is repeated. */
const SHORT_RUN_TURNS = 200;
const REPEATS = 3;

/** Seconds that a section takes on two busy cores, as a `--quick` run took them. The machine sets the pace, so only
 *  their proportions tell how far a run is. */
const SECONDS: Readonly<Record<SectionName, (size: Size) => number>> = {
  turns: ({ turns }) =>
    turns.reduce(
      (sum, each) => sum + 10 + 0.18 * each * (each <= SHORT_RUN_TURNS ? REPEATS : 1),
      0,
    ),
  messages: ({ messages }) => 4 + 0.2 * messages,
  start: ({ starts }) => 4.7 * starts,
  kill: ({ kills }) => 13.3 * kills,
  adopt: ({ kills }) => 4 + 3.5 * kills,
  stop: ({ stops }) => 2 * stops,
  wake: ({ wakeTurns, wakes }) => 0.1 * wakeTurns + 8 * wakes,
  disk: ({ appends }) => 0.02 * appends,
  prefix: ({ prefixTurns }) => 3 + 0.17 * prefixTurns,
  compaction: ({ compactionTurns }) => 5 + 0.08 * compactionTurns,
  overlap: ({ overlaps }) => 5 + 35 * overlaps,
  counters: ({ counterTurns }) => 9 + 0.08 * counterTurns,
  headless: ({ starts, tokens, unreadMs }) =>
    40 + 5 * starts + 0.02 * tokens + (2 * unreadMs) / 1_000,
};

export const expectedSeconds = (name: SectionName, size: Size): number => SECONDS[name](size);
