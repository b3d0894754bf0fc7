import type { Client } from '@temporalio/client';
import { carriedBytes, type CarriedBytes } from '../carried-state';
import type { Arrival } from '../model/model-message';
import { runsOf, type Run } from '../run-chain';
import { steps, summarize } from '../summary';

/** Figures of the turns since the line before. */
export interface Stretch {
  readonly turn: number;
  readonly turnMs: { readonly median: number; readonly p95: number };
  readonly workerMB: number;
  readonly serverMB: number;
  /** Of the newest rollover; null: there was none yet. */
  readonly carried: CarriedBytes | null;
  /** Since the start. */
  readonly compactions: number;
  readonly rollovers: number;
  /** Of the runs that have closed; null: none has. */
  readonly perTurn: PerTurn | null;
  readonly requestKB: number;
}

export interface PerTurn {
  readonly events: number;
  readonly bytes: number;
}

/** Time from request to request, from one turn to another. */
export function timesOf(arrivals: readonly Arrival[], from: number, to: number): Stretch['turnMs'] {
  const instants = arrivals.slice(from, to + 1).map(({ arrivedAtMs }) => arrivedAtMs);
  const { median, p95 } = summarize(steps(instants));
  return { median, p95 };
}

/** Reads the runs of a growing chain as they close, each once. */
export class ClosedRuns {
  rollovers = 0;
  carried: CarriedBytes | null = null;
  #turns = 0;
  #events = 0;
  #bytes = 0;
  #open: string | undefined;

  constructor(
    private readonly client: Client,
    private readonly workflowId: string,
  ) {}

  get perTurn(): PerTurn | null {
    const turns = this.#turns;
    return turns === 0 ? null : { events: this.#events / turns, bytes: this.#bytes / turns };
  }

  async readOn(): Promise<void> {
    for await (const run of runsOf(this.client, this.workflowId, this.#open)) {
      if (run.next === null) return;
      this.rollovers += 1;
      this.#events += run.events;
      this.#bytes += run.bytes;
      this.#turns += run.history.filter(isToolScheduled).length;
      this.carried = carriedBytes(run.next.input);
      this.#open = run.next.runId;
    }
  }
}

const isToolScheduled = (event: Run['history'][number]): boolean =>
  event.activityTaskScheduledEventAttributes?.activityType?.name === 'runTool';
