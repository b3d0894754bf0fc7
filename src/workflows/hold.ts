import { CancellationScope, condition, workflowInfo } from '@temporalio/workflow';
import type { QueryChanges } from '../loop/changes';
import { crossedLimit, type LimitName, type Limits } from '../loop/limits';
import type { Carry, QueryParams } from '../loop/query-params';
import { Tally } from '../loop/tally';
import type { AbortReason } from '../loop/terminal';
import type { Adjustment, QueryCarry, QueryInput, WaitingFor } from './interface';
import type { Progress } from './progress';

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** What people do to a query that runs: they pause it, raise its limits, change its model or mode. It is held before
 *  its next turn while it is paused, or while it is over a limit that people should be asked about; what runs is
 *  finished first. Replay: a query that nobody holds awaits nothing here, so that it costs no event. */
export class Hold {
  readonly #input: QueryInput;
  readonly #progress: Progress;
  readonly #abortReason: () => AbortReason | null;
  #isPaused: boolean;
  #changes: QueryChanges | null;
  #limits: Limits;
  /** What the loop looks at. */
  #params: Mutable<QueryParams> | null = null;
  /** The turn that comes next. */
  #turn: number;
  /** Workflow time since which it is held; null: it is not. */
  #sinceMs: number | null = null;

  constructor(input: QueryInput, progress: Progress, abortReason: () => AbortReason | null) {
    const { maxTurns, maxBudgetUsd, maxTokens, maxMs, onLimit, carry } = input;
    this.#input = input;
    this.#progress = progress;
    this.#abortReason = abortReason;
    this.#isPaused = carry?.paused ?? input.paused ?? false;
    this.#changes = carry?.changes ?? null;
    this.#limits = {
      maxTurns,
      ...(maxBudgetUsd !== undefined && { maxBudgetUsd }),
      ...(maxTokens !== undefined && { maxTokens }),
      ...(maxMs !== undefined && { maxMs }),
      ...(onLimit && { onLimit }),
    };
    this.#turn = carry?.state.turnCount ?? 1;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  get limits(): Limits {
    return this.#limits;
  }

  /** What the query waits for now; null: for nobody. */
  get waitingFor(): Exclude<WaitingFor, 'workspace'> | null {
    if (this.#sinceMs === null) return null;
    return this.#isPaused ? 'resume' : 'budget';
  }

  /** The limit that people should be asked about; null: none is crossed. */
  get crossed(): LimitName | null {
    const { onLimit, maxTurns } = this.#limits;
    if (onLimit !== 'pause') return null;
    const crossed = crossedLimit(this.#limits, this.#progress.tally, this.#sinceMs ?? Date.now());
    const isOutOfTurns = this.#asksAboutTurns && maxTurns !== null && this.#turn > maxTurns;
    return crossed ?? (isOutOfTurns ? 'turns' : null);
  }

  /** A query that is being stopped is not kept from it. */
  get isHeld(): boolean {
    return this.#abortReason() === null && (this.#isPaused || this.crossed !== null);
  }

  /** What the loop runs with; its limits change with those here. */
  paramsFor(carry: Carry | null): QueryParams {
    this.#params = { ...this.#input, ...this.#loopLimits(), carry };
    return this.#params;
  }

  adjust({ paused, model, permissionMode, ...limits }: Omit<Adjustment, 'workspace'>): void {
    this.#isPaused = paused ?? this.#isPaused;
    this.#limits = { ...this.#limits, ...limits };
    if (this.#params !== null) Object.assign(this.#params, this.#loopLimits());
    if (model === undefined && permissionMode === undefined) return;
    this.#changes = {
      ...this.#changes,
      ...(model !== undefined && { model }),
      ...(permissionMode !== undefined && { permissionMode }),
    };
  }

  takeChanges(): QueryChanges | null {
    const changes = this.#changes;
    this.#changes = null;
    return changes;
  }

  /** The turn that comes next is known. */
  reached(turn: number): void {
    this.#turn = turn;
  }

  /** Waits, for days if need be. `roll_over`: what came meanwhile has made the run too long. */
  async released(): Promise<'go_on' | 'roll_over'> {
    this.#sinceMs = Date.now();
    const lengthBefore = workflowInfo().historyLength;
    const isTooLong = (): boolean => {
      const { historyLength } = workflowInfo();
      return historyLength >= this.#input.rolloverEvents && historyLength > lengthBefore;
    };
    // A stop cancels the loop's scope, and the loop itself is to see it.
    await CancellationScope.nonCancellable(() => condition(() => !this.isHeld || isTooLong()));
    const isHeld = this.isHeld;
    this.#progress.tally = Tally.afterPark(this.#progress.tally, Date.now() - this.#sinceMs);
    this.#sinceMs = null;
    return isHeld ? 'roll_over' : 'go_on';
  }

  /** For the next run, with `limits` in the place of those of the input. */
  get carried(): Pick<QueryCarry, 'paused' | 'changes'> {
    return {
      ...(this.#isPaused !== (this.#input.paused ?? false) && { paused: this.#isPaused }),
      ...(this.#changes !== null && { changes: this.#changes }),
    };
  }

  /** A sub-agent that gets to its last turn reports to its caller. */
  get #asksAboutTurns(): boolean {
    const { onLimit, toolUseContext } = this.#input;
    return onLimit === 'pause' && toolUseContext.queryTracking.depth === 0;
  }

  #loopLimits(): Pick<QueryParams, 'maxTurns'> {
    return { maxTurns: this.#asksAboutTurns ? null : this.#limits.maxTurns };
  }
}
