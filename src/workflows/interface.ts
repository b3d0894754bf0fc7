import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { AutoCompactTracking } from '../loop/auto-compact-tracking';
import type { ToolUse, ToolUseRef } from '../loop/context';
import type { QueryChanges } from '../loop/changes';
import type { Counters } from '../loop/counters';
import type { QueuePriority } from '../loop/deps';
import type { LimitName, Limits } from '../loop/limits';
import type { Locals } from '../loop/locals';
import type { QueryParams } from '../loop/query-params';
import type { AbortReason, Terminal } from '../loop/terminal';
import type { Tally } from '../loop/tally';
import type { State } from '../loop/state';
import type { LimitedDetail } from '../visibility/ui-detail';
import type { AskedFacts, DecidedCall } from './approval';

/** Everything a client needs to talk to the two Workflows. No message content crosses here: ids only. */

/** Input of the `session` Workflow. The client gives the limits; `carry` is set by a rollover. */
export interface SessionInput {
  /** Where its Activities run. Absent: on its own Task Queue. */
  readonly workspace?: Workspace;
  /** A session with nothing to do ends after this time. */
  readonly idleMs: number;
  readonly rolloverEvents: number;
  readonly carry: SessionCarry | null;
}

/** Input of `lookAtFolder`. */
export interface FolderLook {
  readonly sessionId: string;
  /** Of the Workers that have to look. */
  readonly taskQueue: string;
}

export interface FolderSeen {
  readonly isThere: boolean;
  /** Who looked. */
  readonly host: string;
}

/** Where the files of a session are. Its Activities run on a Task Queue of their own there, its Workflows anywhere. */
export interface Workspace {
  readonly name: string;
  readonly taskQueue: string;
  /** Of the host among several that serves the session. Absent: none is known to. */
  readonly hostQueue?: string;
}

/** The session of a firing of a schedule, ready to be started. Its prompt lies in the store. JSON. */
export interface FiredSession extends Pick<SessionInput, 'idleMs' | 'rolloverEvents'> {
  readonly sessionId: string;
  readonly workflowId: string;
  /** First words of the prompt, for people; absent: none are to be shown. */
  readonly summary?: string;
  readonly request: SubmitRequest;
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
  /** People want it to begin nothing new. Absent: they do not. */
  readonly paused?: boolean;
  /** Where it was moved to. Absent: it was not. */
  readonly workspace?: Workspace;
  /** Of the host that served the last query. Absent: none is known to have. */
  readonly hostQueue?: string;
}

export interface SessionMail {
  /** Ids of messages. */
  readonly untold: readonly string[];
  readonly interruptBy: AbortReason | null;
  /** Absent: nothing was changed. */
  readonly adjustment?: Adjustment;
}

/** What people change of a query that runs. Absent: as it is; null: no limit any more. */
export interface Adjustment extends QueryChanges {
  /** true: it is held before its next turn. */
  readonly paused?: boolean;
  /** Turns in all. */
  readonly maxTurns?: number | null;
  /** Tokens that are no cache reads, in and out, in all. */
  readonly maxTokens?: number | null;
  /** USD in all: told to a session, of the session; to a query, of the query. */
  readonly maxBudgetUsd?: number | null;
  /** ms of running in all. */
  readonly maxMs?: number | null;
  /** Where its Activities run from now on: for those that have a workspace. */
  readonly workspace?: Move;
}

export interface Move extends Workspace {
  /** Activities that a living Worker has taken, as "run id:Activity id": they are finished there. A Workflow cannot
   *  know: to it, what waits and what runs look alike. Absent: none. */
  readonly taken?: readonly string[];
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
  /** When a query that runs hears of it; absent: `next`. */
  readonly priority?: MessagePriority;
  /** uuid of the record that the message goes behind; absent: the session's end. */
  readonly behind?: string;
}

/** `now`: the running query is interrupted, and the message is answered next. */
export type MessagePriority = QueuePriority | 'now';

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
  | 'maxTokens'
  | 'maxMs'
  | 'onLimit'
> &
  Pick<QueryInput, 'steering' | 'view'>;

/** Input of the `query` Workflow: the loop's params, and what it needs to be found and to go on. */
export interface QueryInput extends Omit<QueryParams, 'carry'> {
  /** null: a sub-agent's query, which reports to its caller. */
  readonly sessionRunsAs: string | null;
  readonly rolloverEvents: number;
  /** Messages that come in meanwhile are heard of one after each batch of tools. Absent: all that wait. */
  readonly steering?: 'one_at_a_time';
  /** Absent: an older build started it. */
  readonly view?: QueryView;
  /** Where its Activities run. Absent: on its own Task Queue. */
  readonly workspace?: Workspace;
  /** It is held before its first turn. Absent: it is not. */
  readonly paused?: true;
  readonly carry: QueryCarry | null;
}

/** What the Temporal UI shows of a query. */
export interface QueryView {
  /** First words of what it answers: at most 200 characters, redacted. Absent: none are shown. */
  readonly summary?: string;
  /** Absent: all. */
  readonly detail?: LimitedDetail;
  /** Absent: the server does not know our search attributes, and a Workflow that sets them would fail. */
  readonly attributes?: { readonly user: string };
}

export interface QueryCarry {
  readonly version: number;
  readonly state: State;
  /** Absent: an older build wrote it, which had none. */
  readonly locals?: Locals;
  readonly tally: Tally;
  readonly queued: readonly (Steering | string)[];
  /** Absent: as the query began. */
  readonly paused?: boolean;
  /** What people changed and the loop has not heard of; absent: nothing. */
  readonly changes?: QueryChanges;
  /** For Workers of the build before this one, which may take the next run during an upgrade. */
  readonly iterations: number;
  /** Absent: an older build wrote it. */
  readonly counters?: Counters;
  /** What was decided about calls; absent: nothing. */
  readonly decided?: readonly DecidedCall[];
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
  /** Of the host that served it. Absent: none is known to have. */
  readonly hostQueue?: string;
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
  /** true: it begins nothing new. */
  readonly paused: boolean;
  /** USD of the queries that have ended. */
  readonly costUsd: number;
}

/** `resume`: people paused it. `budget`: it is over a limit that people can raise. `workspace`: no Worker of its
 *  workspace takes what it has to do. */
export type WaitingFor = 'resume' | 'budget' | 'workspace';

export interface QueryStatus {
  readonly turn: number;
  readonly transition: string | null;
  readonly counters: Counters;
  readonly tally: Tally;
  readonly waiting: readonly string[];
  /** Calls that wait for somebody's word. */
  readonly questions: readonly OpenQuestion[];
  /** true: it goes no further than what runs now. */
  readonly paused: boolean;
  /** null: it waits for nobody, or for the answers to its questions. */
  readonly waitingFor: WaitingFor | null;
  /** The limit that it is over; null: none. */
  readonly crossed: LimitName | null;
  readonly limits: Limits;
  /** Name of the one that its Activities run in; null: none, or the Worker is of an older build. */
  readonly workspace: string | null;
  /** Workflow ids of the queries that it has handed work to and waits for. They have questions of their own. */
  readonly subAgents: readonly string[];
}

/** A call that waits for somebody's word. */
export interface OpenQuestion extends Partial<AskedFacts> {
  readonly call: ToolUseRef;
  readonly name: string;
  readonly summary: string;
  /** ISO instants. */
  readonly askedAt: string;
  /** Absent: it waits as long as it takes. */
  readonly expiresAt?: string;
}

/** `not_asked`: no such call waits; somebody else was quicker, or its query has ended. */
export type DecisionReceipt = 'decided' | 'not_asked';

export interface ToolReady {
  readonly activityId: string;
  readonly stream: string;
  readonly toolUse: ToolUse;
}

/** Accepts a message. Idempotent by message id. Fails: `Session.BadMessage` (final). */
export const submit = defineUpdate<undefined, [SubmitRequest]>('submit');
/** A question was answered; the answer is in the store. Idempotent. `interrupts`: it was a no to everything. */
export const decide = defineUpdate<
  DecisionReceipt,
  [ToolUseRef, interrupts?: boolean, by?: string]
>('decide');
/** Takes a message back; false: it is taken up already, or unknown. */
export const withdraw = defineUpdate<boolean, [messageId: string]>('withdraw');
/** No more messages will come from this client: the session ends when its queries have. */
export const release = defineSignal('release');
/** Holds the running query before its next turn, and begins no other, in either Workflow. */
export const pause = defineSignal('pause');
export const resume = defineSignal('resume');
/** Changes model, mode and limits of the running query and of the messages that wait, in either Workflow.
 *  Fails: `Session.BadChange`, `Session.NothingRuns` (final). */
export const change = defineUpdate<undefined, [Adjustment]>('change');
/** What a session or a caller tells its query of that. */
export const adjust = defineSignal<[Adjustment]>('adjust');
/** Stops the running query, in either Workflow. */
export const interrupt = defineSignal<[AbortReason]>('interrupt');
/** Stops the running query and the background shells and ends the session; messages that wait are dropped. */
export const stopSession = defineSignal('stop');
/** A Worker of the workspace of that name has begun to serve: what waits there runs again. */
export const workspaceServed = defineSignal<[name: string]>('workspaceServed');
export const queryEnded = defineSignal<[QueryEnded]>('queryEnded');
/** A message that came in while the query runs. */
export const steer = defineSignal<[messageId: string, priority?: QueuePriority]>('steer');
/** A safe call whose reply still streams. */
export const toolReady = defineSignal<[ToolReady]>('toolReady');

export const sessionStatus = defineQuery<SessionStatus>('status');
export const queryStatus = defineQuery<QueryStatus>('status');
