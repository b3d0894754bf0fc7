import { setTimeout as pause } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import type { AgentClient } from '../../client/agent-client';
import { costOfQuery, tokensOfQuery } from '../../loop/tally';
import { elapsedMs } from '../../loop/limits';
import type { Adjustment, QueryStatus } from '../../workflows/interface';
import { CliError } from '../cli-error';
import type { AdjustCommand } from './adjust-command';
import { heard } from './heard';
import { inTurns } from './in-turns';
import type { Operator } from './operator';

/** What came of it for one session. */
interface Adjusted {
  readonly sessionId: string;
  /** null: it was done. */
  readonly error: string | null;
  /** null: no query runs. */
  readonly use: Use | null;
}

/** How much the running query has used, and may use in all. */
interface Use {
  readonly usd: number;
  readonly tokens: number;
  readonly turns: number;
  readonly minutes: number;
  readonly limits: QueryStatus['limits'];
  readonly crossed: QueryStatus['crossed'];
}

/** Changes limits, model or mode of sessions while they run. Without a change: what they have used.
 *  Exit code 0: every session has taken it. */
export async function adjust(
  { selectors, adjustment, json }: AdjustCommand,
  { connected, stdout, sessions }: Operator,
): Promise<number> {
  const selected = await sessions(selectors);
  const done = await inTurns(selected, ({ sessionId }) => adjustOne(sessionId, adjustment));
  for (const one of done) {
    if (json) await stdout.writeLine({ ...one });
    else await stdout.write(`${lineOf(one, adjustment !== null)}\n`);
  }
  return done.every(({ error }) => error === null) ? 0 : 1;

  async function adjustOne(sessionId: string, wanted: Adjustment | null): Promise<Adjusted> {
    const { agent } = connected;
    try {
      const isTaken = wanted === null || (await heard(sessionId, agent.change(sessionId, wanted)));
      if (!isTaken) return { sessionId, error: nothingRuns(sessionId), use: null };
      const use = await heard(sessionId, useOf(agent, sessionId, wanted ?? {}));
      return { sessionId, error: null, use };
    } catch (error) {
      // Others may have heard it.
      if (!(error instanceof ApplicationFailure || error instanceof CliError)) throw error;
      return { sessionId, error: error.message, use: null };
    }
  }
}

const nothingRuns = (sessionId: string): string =>
  `It is doing nothing. Give limits, model and mode with its next message: everloop -p --resume ${sessionId} … "…"`;

const LOOK_AGAIN_MS = 20;
const HEARD_WITHIN_MS = 3_000;

/** As soon as the query has heard of its new limits from its session. null: none runs. */
async function useOf(
  agent: AgentClient,
  sessionId: string,
  wanted: Adjustment,
): Promise<Use | null> {
  for (let waitedMs = 0; ; waitedMs += LOOK_AGAIN_MS) {
    const earlierUsd = (await agent.status(sessionId))?.costUsd ?? 0;
    const status = await agent.queryStatus(sessionId);
    if (status === undefined) return null;
    const use = toUse(status, earlierUsd);
    const isHeard = LIMITS.every((name) => isSame(use.limits[name], wanted[name]));
    if (isHeard || waitedMs >= HEARD_WITHIN_MS) return use;
    await pause(LOOK_AGAIN_MS);
  }
}

const LIMITS = ['maxTurns', 'maxTokens', 'maxMs', 'maxBudgetUsd'] as const;

/** Money that was subtracted and added again differs in its last digits. */
const isSame = (now: number | null | undefined, wanted: number | null | undefined): boolean =>
  wanted === undefined ||
  now === wanted ||
  (now != null && wanted !== null && Math.abs(now - wanted) < 1e-6);

/** Money is counted for the session: `earlierUsd` is what its queries before have cost. */
function toUse({ tally, counters, limits, crossed }: QueryStatus, earlierUsd: number): Use {
  const { maxBudgetUsd } = limits;
  return {
    usd: earlierUsd + costOfQuery(tally),
    tokens: tokensOfQuery(tally),
    turns: counters.turn,
    minutes: elapsedMs(tally, Date.now()) / 60_000,
    limits: { ...limits, ...(maxBudgetUsd != null && { maxBudgetUsd: earlierUsd + maxBudgetUsd }) },
    crossed,
  };
}

function lineOf({ sessionId, error, use }: Adjusted, wasChanged: boolean): string {
  if (error !== null) return `${sessionId}  ${error}`;
  if (use === null) {
    return `${sessionId}  ${wasChanged ? 'has heard of it, and its query has ended meanwhile' : 'no query runs'}`;
  }
  const { maxBudgetUsd, maxTokens, maxTurns, maxMs } = use.limits;
  const parts = [
    `${use.usd.toFixed(4)}${of(maxBudgetUsd)} USD`,
    `${use.tokens}${of(maxTokens)} tokens`,
    `turn ${use.turns}${of(maxTurns)}`,
    `${use.minutes.toFixed(1)}${of(maxMs == null ? null : maxMs / 60_000)} minutes`,
  ];
  const held = use.crossed === null ? '' : `; waits for more ${NAMES[use.crossed]}`;
  return `${sessionId}  ${parts.join(', ')}${held}`;
}

const of = (limit: number | null | undefined): string => (limit == null ? '' : ` of ${limit}`);

const NAMES = {
  usd: 'money (--usd)',
  tokens: 'tokens (--tokens)',
  turns: 'turns (--turns)',
  time: 'time (--minutes)',
} as const;
