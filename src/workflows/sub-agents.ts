import { CancellationScope, getExternalWorkflowHandle, sleep } from '@temporalio/workflow';
import { elapsedMs, type Limits } from '../loop/limits';
import { costOfQuery, Tally, tokensOfQuery, type Spent } from '../loop/tally';
import type { Hold } from './hold';
import { adjust, type Adjustment, type QueryInput } from './interface';
import type { Progress } from './progress';

/** A sub-agent's turns are its own; the rest is a part of what its caller may use. */
type Share = Pick<Limits, 'maxBudgetUsd' | 'maxTokens' | 'maxMs'>;

/** The sub-agents of a query that are at work: what each may use, and what people change while they run. */
export class SubAgents {
  readonly #hold: Hold;
  readonly #progress: Progress;
  readonly #shares = new Map<string, Share>();
  /** One Signal after the other: the last word must come last. */
  #told: Promise<void> = Promise.resolve();

  constructor(hold: Hold, progress: Progress) {
    this.#hold = hold;
    this.#progress = progress;
  }

  /** Workflow ids. */
  get running(): readonly string[] {
    return [...this.#shares.keys()];
  }

  /** What the sub-agent begins with: what its caller has left. Those that run side by side each begin with all of
   *  it, so that together they may go over by as much. */
  started(workflowId: string): Pick<QueryInput, keyof Share | 'onLimit' | 'paused'> {
    const { maxBudgetUsd, maxTokens, maxMs, onLimit } = this.#hold.limits;
    const { tally } = this.#progress;
    const share: Share = {
      ...(maxBudgetUsd != null && { maxBudgetUsd: maxBudgetUsd - costOfQuery(tally) }),
      ...(maxTokens != null && { maxTokens: maxTokens - tokensOfQuery(tally) }),
      ...(maxMs != null && { maxMs: maxMs - elapsedMs(tally, Date.now()) }),
    };
    this.#shares.set(workflowId, share);
    return { ...share, ...(onLimit && { onLimit }), ...(this.#hold.isPaused && { paused: true }) };
  }

  ended(workflowId: string, spent: Spent | null): void {
    this.#shares.delete(workflowId);
    if (spent !== null) this.#progress.tally = Tally.afterSubAgent(this.#progress.tally, spent);
  }

  /** Tells them what was changed: a raise is theirs as well. Nothing is sent where none runs. */
  tell(change: Adjustment, before: Limits): Promise<void> | undefined {
    if (this.#shares.size === 0) return undefined;
    for (const [workflowId, share] of this.#shares) {
      this.#shares.set(workflowId, raised(share, change, before));
    }
    const tellAll = async (): Promise<void> => {
      const all = [...this.#shares.keys()];
      await Promise.all(all.map((workflowId) => this.#tellOne(workflowId, change)));
    };
    // A Cancel of the query is no reason to fail what a Signal began.
    this.#told = this.#told.then(() => CancellationScope.nonCancellable(tellAll));
    return this.#told;
  }

  /** One that has ended needs nothing; one that is about to start cannot be told yet. */
  async #tellOne(workflowId: string, change: Adjustment): Promise<void> {
    const { paused, permissionMode, workspace } = change;
    while (this.#shares.has(workflowId)) {
      const word: Adjustment = {
        ...this.#shares.get(workflowId),
        ...(paused !== undefined && { paused: this.#hold.isPaused }),
        ...(permissionMode !== undefined && { permissionMode }),
        ...(workspace && { workspace }),
      };
      try {
        await getExternalWorkflowHandle(workflowId).signal(adjust, word);
        return;
      } catch {
        await sleep(TELL_AGAIN_MS);
      }
    }
  }
}

const TELL_AGAIN_MS = 1_000;

function raised(share: Share, change: Adjustment, before: Limits): Share {
  const next: Record<string, number | null> = {};
  for (const limit of ['maxBudgetUsd', 'maxTokens', 'maxMs'] as const) {
    const [old, now, own] = [before[limit] ?? null, change[limit], share[limit] ?? null];
    if (now === undefined) continue;
    next[limit] = now === null || old === null || own === null ? now : own + now - old;
  }
  return { ...share, ...next };
}
