import { isDeepStrictEqual } from 'node:util';
import type { Played } from './play';

/** One kind of sessions of one way to upgrade. JSON. */
export interface Verdict {
  readonly situation: string;
  readonly sessions: number;
  readonly whole: number;
  /** Requests that the model got more than it gets from the same session undisturbed. */
  readonly repeatedRequests: number;
  /** Workflow Tasks that a Worker took and did not finish. */
  readonly timedOutTasks: number;
  /** Longest of them, in ms. */
  readonly endedMs: number;
  readonly faults: readonly string[];
}

export function verdicts(
  undisturbed: readonly Played[],
  upgraded: readonly Played[],
): readonly Verdict[] {
  return undisturbed.map((model) => {
    const sessions = upgraded.filter(({ situation }) => situation === model.situation);
    const judged = sessions.map((session) => faultsOf(model, session));
    const sum = (of: (session: Played) => number): number =>
      sessions.reduce((total, session) => total + of(session), 0);
    return {
      situation: model.situation,
      sessions: sessions.length,
      whole: judged.filter((faults) => faults.length === 0).length,
      // How often an overloaded model is asked is a matter of time.
      repeatedRequests:
        model.situation === 'retrying' ? 0 : sum(({ requests }) => requests - model.requests),
      timedOutTasks: sum(({ timedOutTasks }) => timedOutTasks),
      endedMs: Math.max(...sessions.map(({ endedMs }) => endedMs)),
      faults: judged.flat(),
    };
  });
}

function faultsOf(model: Played, session: Played): readonly string[] {
  const differs = (what: 'conversation' | 'effects' | 'results'): readonly string[] =>
    isDeepStrictEqual(model[what], session[what])
      ? []
      : [`${what}: ${firstDifference(model[what], session[what])}`];
  return [
    ...session.faults,
    ...differs('conversation'),
    ...differs('effects'),
    ...differs('results'),
  ].map((fault) => `${session.name}: ${fault}`);
}

function firstDifference(expected: readonly string[], seen: readonly string[]): string {
  const at = [...expected, ''].findIndex((line, index) => line !== seen[index]);
  return `${JSON.stringify(seen[at])} instead of ${JSON.stringify(expected[at])}`;
}
