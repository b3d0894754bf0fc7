import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/interface';
import type { FinishedBatch } from '../loop/deps';
import { SUMMARIZE } from './activity-options';
import type { Placement } from './placement';

const { summarizeToolUse } = proxyActivities<Activities>(SUMMARIZE);

/** Label requests that run beside the next model call (spec/loop 5.15). A rollover forgets them. */
export interface ToolUseSummaries {
  /** Names the request. */
  start(batch: FinishedBatch): string;
  /** null: it failed, or an earlier run started it. */
  take(reference: string): Promise<string | null>;
}

export function createToolUseSummaries(placement: Placement): ToolUseSummaries {
  const running = new Map<string, Promise<string | null>>();
  return {
    start({ toolUses, turnCount }) {
      const reference = `turn-${turnCount}`;
      const calls = toolUses.map(({ id, recordId }) => ({ id, recordId }));
      const label = summarizeToolUse.executeWithOptions(
        { summary: `turn ${turnCount} · label`, ...placement.where },
        [{ calls }],
      );
      running.set(
        reference,
        label.catch(() => null),
      );
      return reference;
    },

    async take(reference) {
      const label = (await running.get(reference)) ?? null;
      running.delete(reference);
      return label;
    },
  };
}
