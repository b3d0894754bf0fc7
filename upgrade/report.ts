import { SITUATIONS } from './situations';
import type { Verdict } from './verdict';

/** One way to replace the Workers. JSON. */
export interface Figures {
  readonly way: string;
  /** From SIGTERM to the end of each old Worker, in ms. */
  readonly goneMs: readonly number[];
  /** From SIGTERM until the new Worker of the host serves, in ms; empty: it served before. */
  readonly replacedMs: readonly number[];
  /** Queries that were pinned to the old build when the new one came; null: there are no versions. */
  readonly pinned: number | null;
  readonly states: readonly Verdict[];
}

export interface Report {
  readonly tookMs: number;
  readonly ways: readonly Figures[];
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(1);

export function toText({ tookMs, ways }: Report): string {
  const parts = ways.map((figures) =>
    [...head(figures), ...figures.states.map(row), ...faults(figures), ''].join('\n'),
  );
  return `${parts.join('\n')}\nTook ${seconds(tookMs)} s.\n`;
}

function head({ way, goneMs, replacedMs, pinned, states }: Figures): readonly string[] {
  const sum = (of: (one: Verdict) => number): number =>
    states.reduce((total, one) => total + of(one), 0);
  const all = sum(({ sessions }) => sessions);
  return [
    `Upgrade ${way}: ${sum(({ whole }) => whole)} of ${all} sessions whole`,
    `  old Workers left ${goneMs.map(seconds).join(' s, ')} s after SIGTERM${
      replacedMs.length === 0
        ? ''
        : `; hosts were served again after ${replacedMs.map(seconds).join(' s, ')} s`
    }`,
    ...(pinned === null ? [] : [`  ${pinned} queries were pinned to the old build`]),
    `  ${'state'.padEnd(13)}${'sessions'.padStart(9)}${'whole'.padStart(7)}${'requests again'.padStart(16)}${'tasks timed out'.padStart(17)}${'ended after'.padStart(13)}  what it is`,
  ];
}

function row(one: Verdict): string {
  const means = SITUATIONS.find(({ name }) => name === one.situation)?.means ?? '';
  return `  ${one.situation.padEnd(13)}${String(one.sessions).padStart(9)}${String(one.whole).padStart(7)}${String(one.repeatedRequests).padStart(16)}${String(one.timedOutTasks).padStart(17)}${`${seconds(one.endedMs)} s`.padStart(13)}  ${means}`;
}

const faults = ({ states }: Figures): readonly string[] =>
  states.flatMap((one) => one.faults.map((fault) => `  BROKEN ${fault}`));
