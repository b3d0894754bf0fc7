import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { AutoCompactTracking } from '../loop/auto-compact-tracking';
import type { ToolUse, ToolUseRef } from '../loop/context';
import type { Counters } from '../loop/counters';
import type { QueuePriority } from '../loop/deps';
import type { Locals } from '../loop/locals';
import type { QueryParams } from '../loop/query-params';
import type { AbortReason, Terminal } from '../loop/terminal';
import type { Tally } from '../loop/tally';
import type { State } from '../loop/state';

/** Everything a client needs to talk to the two Workflows. No message content crosses here: ids only. */

/** Input of the `session` Workflow. The client gives the limits; `carry` is set by a rollover. */
export interface SessionInput {
  /** A session with nothing to do ends after this time. */
  readonly idleMs: number;
  readonly rolloverEvents: number;
  readonly carry: SessionCarry | null;
}

export interface SessionCarry {
  readonly inbox: readonly SubmitRequest[];
  /** Workflow id of the running query; null: none. */
  readonly activeQuery: ActiveQuery | null;
  /** End of the last query's context; null: wherever the transcript ends. */
  readonly leaf: string | null;
  /** What the last query learnt of compactions; absent: nothing. */
  readonly autoCompactTracking?: AutoCompactTracking;
  /** USD of the queries so far; absent: none. */
  readonly costUsd?: number;
  readonly released: boolean;
  readonly stopped: boolean;
  /** It was told to stop, and its background shells may still run. */
  readonly hasShellsToEnd?: boolean;
  /** What the running query was not told yet; absent: nothing. */
  readonly mail?: SessionMail;
}

export interface SessionMail {
  /** Ids of messages. */
  readonly untold: readonly string[];
  readonly interruptBy: AbortReason | null;
}

export interface ActiveQuery {
  readonly workflowId: string;
  readonly promptId: string;
}

/** One message for the session. Its content lies in the store under `messageId`. */
export interface SubmitRequest {
  readonly messageId: string;
  readonly query: QueryLimits;
  /** true: the client waits for this message only; the session ends with it. */
  readonly isLast?: boolean;
  /** uuid of the record that the message goes behind; absent: the session's end. */
  readonly behind?: string;
}

export type QueryLimits = Pick<
  QueryParams,
  | 'toolUseContext'
  | 'maxTurns'
  | 'maxOutputTokensOverride'
  | 'maxToolConcurrency'
  | 'gates'
  | 'taskBudget'
  | 'tokenBudget'
  | 'maxBudgetUsd'
>;

/** Input of the `query` Workflow: the loop's params, and what it needs to be found and to go on. */
export interface QueryInput extends Omit<QueryParams, 'carry'> {
  /** null: a sub-agent's query, which reports to its caller. */
  readonly sessionRunsAs: string | null;
  readonly rolloverEvents: number;
  readonly carry: QueryCarry | null;
}

export interface QueryCarry {
  readonly version: number;
  readonly state: State;
  /** Absent: an older build wrote it, which had none. */
  readonly locals?: Locals;
  readonly tally: Tally;
  readonly queued: readonly (Steering | string)[];
  /** For Workers of the build before this one, which may take the next run during an upgrade. */
  readonly iterations: number;
  /** Absent: an older build wrote it. */
  readonly counters?: Counters;
}

/** What a query tells its session when it has ended. */
export interface QueryEnded {
  readonly promptId: string;
  readonly leaf: string | null;
  readonly consumed: readonly string[];
  readonly reason: Terminal['reason'];
  /** USD; absent: an older build reports. */
  readonly costUsd?: number;
  readonly autoCompactTracking?: AutoCompactTracking;
}

/** A message for a running query. */
export interface Steering {
  readonly messageId: string;
  readonly priority: QueuePriority;
}

export interface SessionStatus {
  readonly status: 'idle' | 'running';
  readonly activeQuery: ActiveQuery | null;
  readonly waiting: readonly string[];
  readonly leaf: string | null;
}

export interface QueryStatus {
  readonly turn: number;
  readonly transition: string | null;
  readonly counters: Counters;
  readonly tally: Tally;
  readonly waiting: readonly string[];
  /** Calls that wait for somebody's word. */
  readonly questions: readonly OpenQuestion[];
  /** Workflow ids of the queries that it has handed work to and waits for. They have questions of their own. */
  readonly subAgents: readonly string[];
}

/** A call that waits for somebody's word. */
export interface OpenQuestion {
  readonly call: ToolUseRef;
  readonly name: string;
  readonly summary: string;
}

/** `not_asked`: no such call waits; it was answered before, or its query has ended. */
export type DecisionReceipt = 'decided' | 'not_asked';

export interface ToolReady {
  readonly activityId: string;
  readonly stream: string;
  readonly toolUse: ToolUse;
}

/** Accepts a message. Idempotent by message id. Fails: `Session.BadMessage` (final). */
export const submit = defineUpdate<undefined, [SubmitRequest]>('submit');
/** A question was answered; the answer is in the store. Idempotent. `interrupts`: it was a no to everything. */
export const decide = defineUpdate<DecisionReceipt, [ToolUseRef, interrupts?: boolean]>('decide');
/** No more messages will come from this client: the session ends when its queries have. */
export const release = defineSignal('release');
/** Stops the running query, in either Workflow. */
export const interrupt = defineSignal<[AbortReason]>('interrupt');
/** Stops the running query and the background shells and ends the session; messages that wait are dropped. */
export const stopSession = defineSignal('stop');
export const queryEnded = defineSignal<[QueryEnded]>('queryEnded');
/** A message that came in while the query runs. */
export const steer = defineSignal<[messageId: string, priority?: QueuePriority]>('steer');
/** A safe call whose reply still streams. */
export const toolReady = defineSignal<[ToolReady]>('toolReady');

export const sessionStatus = defineQuery<SessionStatus>('status');
export const queryStatus = defineQuery<QueryStatus>('status');
