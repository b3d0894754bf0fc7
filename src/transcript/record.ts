import type {
  ContentBlock,
  ContentBlockParam,
  ToolResultBlockParam,
} from '@anthropic-ai/sdk/resources/messages';
import type { ApiErrorKind } from '../loop/outcomes';
import type { CompactCosts, CompactTrigger } from '../loop/compaction';
import type { CollapseLog } from '../loop/prepare/context-collapse';
import type { Snip } from '../loop/prepare/snip';
import type { Usage } from '../loop/usage';
import type { StreamId } from './stream-id';

/** One line of a transcript, in the field layout of Claude Code transcripts, so that its viewers and the
 *  Agent SDK's offline helpers read ours (one JSON object a line; `uuid` + `parentUuid` make the chain).
 *  Records are immutable. A context is named by its last record, the leaf. */
export type TranscriptRecord = UserRecord | AssistantRecord | SystemRecord | AttachmentRecord;

export interface RecordBase {
  readonly uuid: string;
  /** null: the first record of a chain. */
  readonly parentUuid: string | null;
  readonly sessionId: string;
  /** ISO instant. */
  readonly timestamp: string;
  readonly cwd: string;
  readonly version: string;
  readonly userType: 'external';
  /** true: of a sub-agent's conversation. */
  readonly isSidechain: boolean;
  /** The call that a sub-agent's conversation answers. */
  readonly parentToolUseId?: string;
  /** true: written for the model, hidden from people (nudges, reminders). */
  readonly isMeta?: boolean;
  /** What only everloop reads. */
  readonly everloop?: RecordExtras;
}

export interface UserRecord extends RecordBase {
  readonly type: 'user';
  readonly message: {
    readonly role: 'user';
    readonly content: string | readonly ContentBlockParam[];
  };
  /** true: the summary behind a compact boundary. */
  readonly isCompactSummary?: boolean;
  /** Structured output of the tool, or "Error: …" (`tool_use_result` on stdout). */
  readonly toolUseResult?: unknown;
}

export interface AssistantRecord extends RecordBase {
  readonly type: 'assistant';
  /** One content block each; the blocks of one reply share `message.id`. */
  readonly message: {
    readonly id: string;
    readonly type: 'message';
    readonly role: 'assistant';
    readonly model: string;
    readonly content: readonly ContentBlock[];
    readonly stop_reason: string | null;
    readonly stop_sequence: string | null;
    readonly usage: Usage;
  };
  readonly requestId?: string;
  /** true: a synthetic message that reports an API error; never sent back to the API. */
  readonly isApiErrorMessage?: boolean;
  /** Kind of the API error, as in the SDK's `assistant.error`. */
  readonly error?: string;
}

export interface SystemRecord extends RecordBase {
  readonly type: 'system';
  readonly subtype: string;
  readonly content?: string;
  readonly level?: 'info' | 'warning' | 'error';
  /** Of a `compact_boundary`, named as Claude Code names it. */
  readonly compactMetadata?: {
    readonly trigger: 'auto' | 'manual';
    readonly preTokens: number;
  };
  /** Of a `compact_boundary`: the record that its context took the place of. */
  readonly logicalParentUuid?: string | null;
}

/** A text that the engine puts into the conversation: the model reads it as the user's, people do not see it. */
export interface AttachmentRecord extends RecordBase {
  readonly type: 'attachment';
  readonly attachment: {
    readonly type: 'nudge' | 'queued_message' | 'file' | 'command' | 'hook' | TurnAttachmentType;
    readonly content: readonly ContentBlockParam[];
  };
}

/** What is attached between a turn's results and the next request. */
export type TurnAttachmentType =
  | 'file_changed'
  | 'nested_memory'
  | 'relevant_memory'
  | 'skills'
  | 'todo_reminder'
  | 'date_change'
  | 'host_change'
  | 'task_notification';

export interface RecordExtras {
  /** Files whose content the call showed or made, for the stale-file check of Edit and Write. */
  readonly files?: readonly FileSeen[];
  /** What an attachment told, so that it is not told again while the record is in the context. */
  readonly attached?: AttachedMark;
  /** The stream that a reply block came from. */
  readonly stream?: StreamId;
  /** Time the API took for the reply, in ms; on its last record. */
  readonly apiMs?: number;
  /** The model that was asked, where the reply names another. Its thoughts are signed for it alone. */
  readonly askedModel?: string;
  /** The result of the call that handed over the value of the caller's schema. */
  readonly isStructuredOutput?: true;
  /** It was kept over a compaction: its usage counts a context that is gone. */
  readonly isKept?: true;
  /** What preparation decided for this and all later requests of the context. */
  readonly decided?: DecidedView;
  /** Of a `compact_boundary`. */
  readonly compaction?: {
    readonly trigger: CompactTrigger;
    readonly contextTokens: number;
    readonly costs: CompactCosts;
  };
  /** What a synthetic reply reports. */
  readonly apiError?: ApiErrorKind;
  /** Set by the store: the idempotency key of the append that wrote the record. */
  readonly key?: string;
  /** Set by the store: which of how many records of that append this is. An append counts when all are there. */
  readonly batch?: RecordBatch;
}

/** Decisions that a request made (spec/loop 3.3b, 3.4, 3.6); each is applied again by every later one. */
export interface DecidedView {
  readonly replacements?: Readonly<Record<string, string>>;
  readonly snip?: Snip;
  readonly collapseLog?: CollapseLog;
}

/** `keys` are the source's own: paths, a day. */
export interface AttachedMark {
  readonly source: TurnAttachmentType;
  readonly keys: readonly string[];
}

/** `index` counts from 0. */
export interface RecordBatch {
  readonly index: number;
  readonly of: number;
}

/** A file as a tool last saw it. `digest`: hex SHA-256 of the bytes. */
export interface FileSeen {
  readonly path: string;
  readonly mtimeMs: number;
  readonly digest: string;
}

export type ToolResultContent = NonNullable<ToolResultBlockParam['content']>;
