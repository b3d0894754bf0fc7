import { historyMs, payloadsIn, type HistoryEvent } from './history-event';
import type { Span } from './facts';

/** What the Event History of a query tells that the store does not. */
export interface HistoryFacts {
  /** What was done about a call, by `callKey`; about a turn, by `turnKey`. */
  readonly activities: ReadonlyMap<string, ActivityFacts>;
  /** When a Worker was first seen. */
  readonly workers: readonly { readonly name: string; readonly atMs: number }[];
  /** When a run ended and the next one began. */
  readonly rollovers: readonly number[];
  readonly pauses: readonly Span[];
  /** false: its Workflow has ended, whatever the store says. */
  readonly isRunning: boolean;
}

export interface ActivityFacts {
  /** Of all times that it was scheduled. */
  readonly attempts: number;
  /** When the attempt began that ended it; null: the first did. */
  readonly lastAttemptMs: number | null;
  /** Why there was another attempt; empty: there was none. */
  readonly failure: string;
  readonly worker: string;
}

export const callKey = ({ id, recordId }: { id: string; recordId: string }): string =>
  `call ${recordId} ${id}`;
export const turnKey = (turn: number): string => `turn ${turn}`;

/** `events`: of all runs, oldest first. */
export class HistoryReader {
  readonly #activities = new Map<string, ActivityFacts>();
  readonly #workers = new Map<string, number>();
  readonly #rollovers: number[] = [];
  readonly #pauses: { fromMs: number; toMs: number | null }[] = [];
  #isRunning = true;
  /** Of the run that is read: event id of its scheduling to its key. */
  #scheduled = new Map<string, string>();

  add(event: HistoryEvent): void {
    const atMs = historyMs(event.eventTime);
    const {
      workflowExecutionStartedEventAttributes: begun,
      activityTaskScheduledEventAttributes: scheduled,
      activityTaskStartedEventAttributes: started,
      workflowTaskStartedEventAttributes: task,
      workflowExecutionSignaledEventAttributes: signaled,
      workflowExecutionContinuedAsNewEventAttributes: continued,
    } = event;
    if (begun) {
      this.#scheduled = new Map();
      this.#isRunning = true;
    }
    if (scheduled) {
      const key = keyOf(scheduled.activityType?.name, payloadsIn(scheduled.input)[0]);
      if (key !== null) this.#scheduled.set(String(event.eventId), key);
    }
    if (task) this.#sawWorker(task.identity, atMs);
    if (started) {
      this.#sawWorker(started.identity, atMs);
      this.#addAttempt(String(started.scheduledEventId), {
        attempt: started.attempt ?? 1,
        failure: started.lastFailure?.message ?? '',
        worker: started.identity ?? '',
        atMs,
      });
    }
    if (signaled) this.#heard(signaled.signalName, payloadsIn(signaled.input)[0], atMs);
    if (continued) this.#rollovers.push(atMs);
    if (isEnd(event)) this.#isRunning = false;
  }

  toFacts(): HistoryFacts {
    return {
      activities: this.#activities,
      workers: [...this.#workers].map(([name, atMs]) => ({ name, atMs })),
      rollovers: this.#rollovers,
      pauses: this.#pauses,
      isRunning: this.#isRunning,
    };
  }

  #addAttempt(
    scheduledId: string,
    one: { attempt: number; failure: string; worker: string; atMs: number },
  ): void {
    const key = this.#scheduled.get(scheduledId);
    if (key === undefined) return;
    const before = this.#activities.get(key);
    this.#activities.set(key, {
      // Scheduled again after an answer is the same work going on, not a repetition.
      attempts: (before?.attempts ?? 1) + one.attempt - 1,
      lastAttemptMs: one.attempt > 1 ? one.atMs : (before?.lastAttemptMs ?? null),
      failure: one.failure === '' ? (before?.failure ?? '') : one.failure,
      worker: one.worker,
    });
  }

  /** Other names than a Worker's are the server's own, or a client's. */
  #sawWorker(identity: string | null | undefined, atMs: number): void {
    if (identity?.startsWith('w-') !== true || this.#workers.has(identity)) return;
    this.#workers.set(identity, atMs);
  }

  /** A session passes a pause on as an adjustment. */
  #heard(signal: string | null | undefined, given: unknown, atMs: number): void {
    const told = signal === 'adjust' ? fieldOf(given, 'paused') : undefined;
    const last = this.#pauses.at(-1);
    if (signal === 'pause' || told === true) {
      if (last === undefined || last.toMs !== null) this.#pauses.push({ fromMs: atMs, toMs: null });
    } else if ((signal === 'resume' || told === false) && last?.toMs === null) last.toMs = atMs;
  }
}

function keyOf(activity: string | null | undefined, input: unknown): string | null {
  if (activity === 'callModel') {
    const turn = fieldOf(input, 'turn');
    return typeof turn === 'number' ? turnKey(turn) : null;
  }
  if (activity !== 'runTool') return null;
  const call = fieldOf(input, 'call');
  const [id, recordId] = [fieldOf(call, 'id'), fieldOf(call, 'recordId')];
  return typeof id === 'string' && typeof recordId === 'string' ? callKey({ id, recordId }) : null;
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;

const isEnd = (event: HistoryEvent): boolean =>
  [
    event.workflowExecutionCompletedEventAttributes,
    event.workflowExecutionFailedEventAttributes,
    event.workflowExecutionCanceledEventAttributes,
    event.workflowExecutionTerminatedEventAttributes,
    event.workflowExecutionTimedOutEventAttributes,
  ].some((attributes) => attributes != null);
