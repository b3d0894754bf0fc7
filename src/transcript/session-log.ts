import type { Usage } from '../loop/usage';
import type { PermissionDecision, PermissionQuestion } from './permission';
import type { StreamId } from './stream-id';
import type { TranscriptRecord } from './record';

/** What observers follow: one ordered file per session that only the lease holder appends to.
 *  Durable entries stay for the session's life; token deltas lie beside it and go when a reply is committed. */
export type LogEntry =
  | {
      readonly type: 'query_started';
      readonly queryId: string;
      readonly promptId: string;
      readonly init: QueryInit;
    }
  /** A prompt, reply block, tool result or system message, in the order in which it became known.
   *  `stream` is set on reply blocks: a later `stream_discarded` of that stream takes them back. */
  | {
      readonly type: 'record';
      readonly queryId: string;
      readonly record: TranscriptRecord;
      readonly stream?: StreamId;
    }
  /** Deltas of this stream can be read from `live` until it is committed or discarded. */
  | {
      readonly type: 'stream_started';
      readonly queryId: string;
      readonly stream: StreamId;
      readonly turn: number;
      readonly live: string;
    }
  | {
      readonly type: 'stream_committed';
      readonly queryId: string;
      readonly stream: StreamId;
      readonly leaf: string;
    }
  | {
      readonly type: 'stream_discarded';
      readonly queryId: string;
      readonly stream: StreamId;
      readonly reason: string;
    }
  | {
      readonly type: 'api_retry';
      readonly queryId: string;
      readonly attempt: number;
      readonly maxRetries: number;
      readonly delayMs: number;
      readonly status: number | null;
      readonly error: string;
    }
  /** What people should know; the model never hears it. */
  | {
      readonly type: 'notice';
      readonly queryId: string;
      readonly level: 'info' | 'warning';
      readonly text: string;
    }
  /** `null`: done. */
  | {
      readonly type: 'status';
      readonly queryId: string;
      readonly status: 'compacting' | null;
    }
  | {
      readonly type: 'tool_use_summary';
      readonly queryId: string;
      readonly summary: string;
      readonly toolUseIds: readonly string[];
    }
  /** A call waits for somebody's word, until its result is there or its query has ended. */
  | {
      readonly type: 'permission_requested';
      readonly queryId: string;
      readonly question: PermissionQuestion;
      /** Set while the reply of the call still streams: a `stream_discarded` of it takes the question back. */
      readonly stream?: StreamId;
    }
  /** Its word has come: nobody is waited for any more. */
  | {
      readonly type: 'permission_decided';
      readonly queryId: string;
      readonly decision: PermissionDecision;
    }
  | {
      readonly type: 'hook_started';
      readonly queryId: string;
      readonly hook: HookInfo;
    }
  | {
      readonly type: 'hook_ended';
      readonly queryId: string;
      readonly hook: HookInfo;
      readonly ended: HookEnd;
    }
  | {
      readonly type: 'tool_started';
      readonly queryId: string;
      readonly toolUseId: string;
      readonly name: string;
      readonly summary: string;
    }
  | {
      readonly type: 'query_ended';
      readonly queryId: string;
      readonly promptId: string;
      readonly result: QueryResult;
    };

/** `name`: "PreToolUse:Bash". */
export interface HookInfo {
  readonly id: string;
  readonly name: string;
  readonly event: string;
}

export interface HookEnd {
  readonly outcome: 'success' | 'error' | 'cancelled';
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface QueryInit {
  readonly cwd: string;
  readonly model: string;
  readonly permissionMode: string;
  readonly tools: readonly string[];
  readonly slashCommands: readonly string[];
  /** Absent: written by a version that knew none. */
  readonly mcpServers?: readonly {
    readonly name: string;
    readonly status: string;
    readonly source: string;
  }[];
  /** Types of sub-agents. Absent: written by a version that did not tell. */
  readonly agents?: readonly string[];
  readonly skills?: readonly string[];
  readonly plugins?: readonly { readonly name: string; readonly path: string }[];
  readonly apiKeySource: string;
}

/** The end of a query as its client reads it; field names as in the SDK's `result` message. */
export interface QueryResult {
  readonly subtype:
    | 'success'
    | 'error_max_turns'
    | 'error_during_execution'
    | 'error_max_budget_usd'
    | 'error_max_structured_output_retries';
  readonly is_error: boolean;
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  readonly num_turns: number;
  readonly stop_reason: string | null;
  readonly total_cost_usd: number;
  readonly usage: Usage;
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  readonly permission_denials: readonly PermissionDenial[];
  readonly terminal_reason: string;
  /** Text of the last reply; only with `success`. */
  readonly result?: string;
  /** The value of the caller's schema. */
  readonly structured_output?: unknown;
  /** What went wrong, for people; always there unless `success`. */
  readonly errors?: readonly string[];
  readonly uuid: string;
}

export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly webSearchRequests: number;
  readonly costUSD: number;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
}

export interface PermissionDenial {
  readonly tool_name: string;
  readonly tool_use_id: string;
  readonly tool_input: unknown;
}

/** Opaque and resumable. null: from the beginning of what is kept. */
export type LogCursor = string;

export interface FollowedEntry {
  /** Where to go on after this entry. */
  readonly cursor: LogCursor;
  /** ISO instant at which the entry was written. */
  readonly at: string;
  readonly entry: LogEntry;
}

/** A raw stream event of the Messages API, beside the log (`live` of `stream_started`). */
export interface LiveEvent {
  readonly event: unknown;
  /** Number of log entries of this stream written before this event: places deltas among finished blocks. */
  readonly blocks: number;
}
