import type { QueryEnded, ToolReady } from '../workflows/interface';

/** One attempt of one Activity, as its implementation sees it. Temporal's side is in temporal-attempt.ts;
 *  the in-process host makes plain ones. */
export interface Attempt {
  readonly workflowId: string;
  readonly runId: string;
  readonly activityId: string;
  /** 1 on the first attempt. */
  readonly number: number;
  /** The same in every attempt of one Activity; names what it writes, so that a repeat finds it. */
  readonly key: string;
  /** Where it is in a trace, as W3C Trace Context. Absent: there are no traces. */
  readonly traceparent?: string;
  /** Somebody asked to stop: keep what there is and return normally. */
  readonly stop: AbortSignal;
  /** This attempt is over (shutdown, pause, timeout): write nothing more and rethrow the reason. */
  readonly over: AbortSignal;
  /** The server no longer knows this attempt: end everything it started. */
  readonly forgotten: AbortSignal;
  /** Shows people what the Activity does now: a few words, which are cut and redacted. Costs nothing, however often it
   *  is called. Absent: nobody looks. */
  report?(doing: string): void;
  /** Tells the running Workflow of a safe call; resolves when the server has it. */
  signalToolReady(ready: ToolReady): Promise<void>;
  /** Whether a query of this place is at work. */
  isQueryRunning(queryWorkflowId: string): Promise<boolean>;
  /** Tells the session, whichever run it is in, that the query has ended. A session that is gone is no error. */
  signalQueryEnded(sessionWorkflowId: string, ended: QueryEnded): Promise<void>;
}
