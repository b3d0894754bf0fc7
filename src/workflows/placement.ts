import {
  ActivityFailure,
  CancellationScope,
  TimeoutFailure,
  isCancellation,
  workflowInfo,
  type ActivityOptions,
} from '@temporalio/workflow';
import type { Move, Workspace } from './interface';
import { ServingHost, servingQueueOf } from './serving-host';

/** Of an Activity: where it runs, and under which id. Nothing: as the Workflow itself. */
export type Where = Pick<
  ActivityOptions,
  'taskQueue' | 'scheduleToStartTimeout' | 'activityId' | 'retry'
>;

/** A Worker that lives takes what there is in milliseconds; one that replaces another, in seconds. A timer beside the
 *  Activity would cost events, this costs none. */
const TAKEN_WITHIN = '30s';

/** Where the Activities of a query run. Those of a query with a workspace run on its Task Queue; where nobody takes
 *  one, it waits there until somebody does, or until the query is moved.
 *  Replay: a query without a workspace awaits nothing here. */
export class Placement {
  #workspace: Workspace | null;
  readonly #host: ServingHost;
  /** Calls that wait for a Worker of the workspace, each with its Activity id. */
  readonly #waiting = new Map<CancellationScope, string | undefined>();
  /** It has been heard of one since. */
  #isServed = false;
  /** Nobody took what was scheduled last. */
  #isMissed = false;

  constructor(workspace: Workspace | undefined) {
    this.#workspace = workspace ?? null;
    this.#host = ServingHost.known(workspace?.hostQueue);
  }

  /** null: it has none. With the host that serves it, if that is known. */
  get workspace(): Workspace | null {
    if (this.#workspace === null) return null;
    const { name, taskQueue } = this.#workspace;
    const { taskQueue: hostQueue } = this.#host;
    return { name, taskQueue, ...(hostQueue !== null && { hostQueue }) };
  }

  /** Name of the workspace whose Workers are waited for; null: none are. */
  get waitingFor(): string | null {
    if (this.#waiting.size === 0 || this.#isServed) return null;
    return this.#workspace?.name ?? null;
  }

  /** What runs there is finished there; what nobody has taken is scheduled anew. A query that has no workspace runs
   *  where its command does, and stays. */
  moveTo({ name, taskQueue, taken = [] }: Move): void {
    if (this.#workspace === null) return;
    this.#workspace = { name, taskQueue };
    this.#host.forget();
    this.#isMissed = false;
    const { runId } = workflowInfo();
    for (const [scope, activityId] of this.#waiting) {
      if (!taken.includes(`${runId}:${activityId ?? ''}`)) scope.cancel();
    }
  }

  served(name: string): void {
    if (name !== this.#workspace?.name) return;
    this.#isServed = true;
    this.#isMissed = false;
  }

  /** For what is not worth waiting for: it fails where nobody takes it. */
  get where(): Where {
    if (this.#workspace === null) return {};
    return { ...this.#queue, scheduleToStartTimeout: TAKEN_WITHIN, ...this.#host.where };
  }

  /** Schedules an Activity where it has to run, again if need be. */
  place<Result>(schedule: (where: Where) => Promise<Result>): Promise<Result> {
    return this.#workspace === null ? schedule({}) : this.#keepPlaced(schedule);
  }

  /** Schedules one that needs no files: where nobody of the workspace takes it, anybody may. */
  async placeAnywhere<Result>(schedule: (where: Where) => Promise<Result>): Promise<Result> {
    let same: Where = {};
    for (;;) {
      const tried = this.#workspace;
      const there = this.#isMissed ? {} : this.#placed;
      const host = this.#host.taskQueue;
      try {
        return await schedule({ ...same, ...there });
      } catch (failure) {
        const serving = servingQueueOf(failure);
        if (serving === null && !isUntaken(failure)) throw failure;
        same = sameAs(failure);
        if (serving === null && host === null) return schedule(same);
        this.#look(tried, { serving, host });
      }
    }
  }

  async #keepPlaced<Result>(schedule: (where: Where) => Promise<Result>): Promise<Result> {
    let same: Where = {};
    for (;;) {
      const tried = this.#workspace;
      const host = this.#host.taskQueue;
      const hasMoved = (): boolean => this.#workspace !== tried;
      try {
        return await schedule({ ...same, ...this.#placed });
      } catch (failure) {
        const serving = servingQueueOf(failure);
        if (serving === null && !isUntaken(failure)) throw failure;
        same = sameAs(failure);
        this.#look(tried, { serving, host });
        if (serving !== null || host !== null || hasMoved()) continue;
      }
      this.#isMissed = true;
      try {
        const result = await this.#wait(same.activityId, () =>
          schedule({ ...same, ...this.#queue, ...this.#host.retry }),
        );
        this.#isMissed = false;
        return result;
      } catch (failure) {
        const serving = servingQueueOf(failure);
        const isOver = CancellationScope.current().consideredCancelled;
        if (serving === null && (!isCancellation(failure) || !hasMoved() || isOver)) throw failure;
        this.#isMissed = false;
        this.#look(tried, { serving, host: null });
      }
    }
  }

  /** After a refusal (`serving`: by whom the session is served), or because nobody took something at the `host`.
   *  Neither says anything of a workspace that was left meanwhile. */
  #look(
    tried: Workspace | null,
    { serving, host }: { readonly serving: string | null; readonly host: string | null },
  ): void {
    if (this.#workspace !== tried) return;
    if (serving !== null) this.#host.found(serving);
    else if (host !== null) this.#host.missed(host);
  }

  /** Without a limit of time, so that days of waiting cost no event; until it is done, or moved. */
  async #wait<Result>(
    activityId: string | undefined,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const scope = new CancellationScope();
    this.#waiting.set(scope, activityId);
    this.#isServed = false;
    try {
      return await scope.run(work);
    } finally {
      this.#waiting.delete(scope);
    }
  }

  get #placed(): Where {
    return this.#workspace === null ? {} : { ...this.where, ...this.#host.retry };
  }

  get #queue(): Where {
    return this.#workspace === null ? {} : { taskQueue: this.#workspace.taskQueue };
  }
}

/** Nobody took it, so that nothing of it runs. */
function isUntaken(failure: unknown): failure is ActivityFailure {
  return (
    failure instanceof ActivityFailure &&
    failure.cause instanceof TimeoutFailure &&
    failure.cause.timeoutType === 'SCHEDULE_TO_START'
  );
}

/** What an earlier attempt of it has written is found by its id: the host may have been lost in the midst of it. */
const sameAs = (failure: unknown): Where =>
  failure instanceof ActivityFailure && failure.activityId !== undefined
    ? { activityId: failure.activityId }
    : {};
