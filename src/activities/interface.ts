import type { AgentAnswer, AgentTask, AnswerRef, BegunTask } from '../workflows/agent-task';
import type { ApprovalKind, AskedFacts, Decision, Granted } from '../workflows/approval';
import type { FiredSession, FolderSeen } from '../workflows/interface';
import type { AutoCompactTracking } from '../loop/auto-compact-tracking';
import type { CompactOutcome, CompactTrigger } from '../loop/compaction';
import type { NextTurn } from '../agent/agent-hooks';
import type { Context, QueuedMessage, ToolUseRef } from '../loop/context';
import type { Drained, ModelRequest } from '../loop/deps';
import type { ToolOutcome } from '../loop/outcomes';
import type { SentOutcome } from '../loop/sent-outcome';
import type { PermissionMode } from '../loop/state';
import type { StopPosition, StopVerdict } from '../loop/stop-hooks';
import type { Tally } from '../loop/tally';
import type { Terminal } from '../loop/terminal';

/** What Workflows ask of the outside world. Session and prompt are read from the Workflow id. */
export interface Activities {
  /** One request, retries by Temporal. Fails: only for what no retry cures (`Store.*`, `Config.*`). */
  callModel(input: CallModelInput): Promise<SentOutcome>;
  /** One tool call, from lookup to recorded result. */
  runTool(input: RunToolInput): Promise<ToolOutcome | AskOutcome | DelegateOutcome | SleepOutcome>;
  /** Puts a summary, behind a boundary, in the place of the conversation. */
  compact(input: CompactInput): Promise<CompactOutcome>;
  /** Commits the collapses that are staged (spec/loop 3.6). */
  drainCollapses(messages: Context): Promise<Drained>;
  /** Stop and StopFailure hooks; their feedback is chained. */
  runStopHooks(input: StopHooksInput): Promise<StopVerdict>;
  /** The agent's hooks at the end of a turn; what they bring is in the store. */
  endTurn(input: EndTurnInput): Promise<EndedTurn>;
  /** A label for what a batch of tools did; null: the model gave none. */
  summarizeToolUse(input: ToolUseSummaryInput): Promise<string | null>;
  /** Why a signed decision cannot be taken; null: it is signed as it should be. */
  verifyApproval(input: VerifyApprovalInput): Promise<string | null>;
  /** Chains what is left, writes the result, and tells the session. Safe to repeat. */
  finishQuery(input: FinishQueryInput): Promise<FinishedQuery>;
  /** Ends the background shells of the session; how many ran. Safe to repeat. */
  endShells(): Promise<number>;
  /** Makes a session, if it is a new one, and the message of a task that a Workflow gives. */
  beginTask(task: AgentTask): Promise<BegunTask>;
  /** Makes the session of one firing of the schedule of that name. Safe to repeat. */
  beginScheduled(name: string): Promise<FiredSession>;
  /** Whether the folder of a session is there, on the host of this Worker. Safe to repeat. */
  lookAtFolder(sessionId: string): Promise<FolderSeen>;
  /** What came of it. Fails: `Task.NoResult` (final) when its query was terminated. */
  reportTask(answer: AnswerRef): Promise<AgentAnswer>;
}

export interface CallModelInput {
  readonly messages: Context;
  readonly model: string;
  readonly turn: number;
  /** Absent: the model's default. */
  readonly maxOutputTokens?: number;
  /** true: finished safe calls are signalled while the reply still streams. */
  readonly early: boolean;
  /** What calls of this reply run with. Absent: as the query began. */
  readonly toolUseContext?: Partial<Pick<RunToolInput, 'mode' | 'workingDirectory'>>;
  /** Absent: `compact`. */
  readonly room?: Exclude<ModelRequest['room'], 'compact'>;
  readonly taskBudget?: ModelRequest['taskBudget'];
}

/** The call waits for somebody's word; the question is in the store. */
export interface AskOutcome {
  readonly type: 'ask';
  /** What the Workflow shows of it. Absent: an older build wrote it. */
  readonly facts?: AskedFacts;
}

/** Only the Workflow can go on: a query of its own answers the message. */
export interface DelegateOutcome {
  readonly type: 'delegate';
  readonly messageId: string;
  readonly model: string;
  readonly maxTurns: number | null;
}

/** Only the Workflow can go on: it waits. */
export interface SleepOutcome {
  readonly type: 'sleep';
  readonly ms: number;
}

/** A wait that is over. */
export interface Slept {
  readonly ms: number;
  /** The user wrote meanwhile. */
  readonly isWoken: boolean;
}

export interface RunToolInput {
  readonly call: ToolUseRef;
  readonly mode: PermissionMode;
  readonly workingDirectory: string;
  /** The question was answered: by `decision`, else the answer is in the store. */
  readonly isAnswered?: true;
  readonly decision?: Decision;
  /** The question may be answered by what somebody granted with another call. */
  readonly granted?: Granted;
  /** The query that the call was delegated to has ended. */
  readonly isDelegated?: true;
  /** The wait that the call asked for. */
  readonly slept?: Slept;
}

export interface VerifyApprovalInput {
  readonly kind: ApprovalKind;
  /** In the order in which they were signed. */
  readonly calls: readonly ToolUseRef[];
  /** Whose key it should be; null: they did not say. */
  readonly who: string | null;
  readonly note: string | null;
  readonly remember: boolean;
  readonly answers: readonly string[];
  /** base64. */
  readonly signature: string;
}

export interface CompactInput {
  readonly messages: Context;
  readonly model: string;
  readonly mode: PermissionMode;
  readonly trigger: CompactTrigger;
}

export interface StopHooksInput extends Omit<StopPosition, 'toolUseContext'> {
  readonly mode: PermissionMode;
  readonly workingDirectory: string;
}

export interface EndTurnInput {
  /** End of the reply. */
  readonly leaf: string;
  readonly model: string;
  /** false: the query ends here unless messages are brought. */
  readonly willGoOn: boolean;
  /** true: no message could be heard any more. */
  readonly isLast?: true;
}

/** The agent's word on a turn. What is as usual is left out. */
export interface EndedTurn {
  readonly stop?: true;
  readonly next?: NextTurn;
  readonly messages?: readonly QueuedMessage[];
}

export interface ToolUseSummaryInput {
  readonly calls: readonly ToolUseRef[];
}

export interface FinishQueryInput {
  readonly messages: Context;
  readonly terminal: Terminal;
  readonly tally: Tally;
  /** null: a sub-agent's query, which reports to its caller. */
  readonly sessionRunsAs: string | null;
  /** For the session's next query. Absent: nothing was compacted. */
  readonly autoCompactTracking?: AutoCompactTracking;
  /** The same: of the host that serves the session. Absent: none is known to. */
  readonly hostQueue?: string;
}

export interface FinishedQuery {
  readonly leaf: string | null;
}
