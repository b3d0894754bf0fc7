import { ApplicationFailure } from '@temporalio/common';
import type { Attempt } from '../../src/activities/attempt';
import type { QueryEnded, ToolReady } from '../../src/workflows/interface';

interface AttemptOf {
  readonly workflowId: string;
  readonly runId: string;
  readonly activityId: string;
  readonly number: number;
}

/** An attempt as the in-process host makes it: a test stops it, ends it and reads its Signals. */
export class FakeAttempt implements Attempt {
  readonly workflowId: string;
  readonly runId: string;
  readonly activityId: string;
  readonly number: number;
  readonly key: string;
  /** Safe calls that were signalled while the reply streamed. */
  readonly ready: ToolReady[] = [];
  /** Workflow ids of queries that are at work elsewhere. */
  readonly queriesRunning = new Set<string>();
  readonly ended: { readonly session: string; readonly ended: QueryEnded }[] = [];
  readonly #stop = new AbortController();
  readonly #over = new AbortController();
  readonly #forgotten = new AbortController();

  constructor(private readonly of: AttemptOf) {
    this.workflowId = of.workflowId;
    this.runId = of.runId;
    this.activityId = of.activityId;
    this.number = of.number;
    this.key = `${this.runId}:${of.activityId}`;
  }

  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  get over(): AbortSignal {
    return this.#over.signal;
  }

  get forgotten(): AbortSignal {
    return this.#forgotten.signal;
  }

  /** Somebody asks to stop. */
  requestStop(): void {
    this.#stop.abort(new Error('cancel requested'));
  }

  /** The Worker goes, or the attempt took too long. */
  end(reason: Error): void {
    this.#over.abort(reason);
  }

  /** The server no longer knows it. */
  forget(): void {
    this.#forgotten.abort(new Error('not found'));
  }

  /** The attempt after this one. */
  next(): FakeAttempt {
    return new FakeAttempt({ ...this.of, number: this.number + 1 });
  }

  signalToolReady(ready: ToolReady): Promise<void> {
    this.ready.push(ready);
    return Promise.resolve();
  }

  isQueryRunning(queryWorkflowId: string): Promise<boolean> {
    return Promise.resolve(this.queriesRunning.has(queryWorkflowId));
  }

  signalQueryEnded(session: string, ended: QueryEnded): Promise<void> {
    this.ended.push({ session, ended });
    return Promise.resolve();
  }
}

/** The ApplicationFailure that an Activity failed with.
 *  Fails: Error when it did not fail, or with something else. */
export async function failureOf(activity: Promise<unknown>): Promise<ApplicationFailure> {
  const failure: unknown = await activity.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof ApplicationFailure) return failure;
  throw new Error(`The Activity did not fail as expected: ${String(failure)}`);
}
