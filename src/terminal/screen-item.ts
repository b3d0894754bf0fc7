import type { StreamId } from '../transcript/stream-id';

/** One thing on the screen, from top to bottom. Immutable: what changes is replaced, so that a drawing of it can be kept. */
export type ScreenItem =
  { readonly type: 'prompt'; readonly text: string } | TextItem | ToolItem | NoticeItem;

/** What the model said (Markdown) or thought. */
export interface TextItem {
  readonly type: 'text' | 'thinking';
  readonly text: string;
  /** The reply it is of, until that is committed: it may still be taken back. Absent: it stays. */
  readonly stream?: StreamId;
}

export interface NoticeItem {
  readonly type: 'notice';
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
}

export interface ToolItem {
  readonly type: 'tool';
  readonly toolUseId: string;
  readonly name: string;
  readonly input: unknown;
  /** `asked`: the model has written it. `stopped`: its query ended without a result of it. */
  readonly state: 'asked' | 'running' | 'done' | 'failed' | 'stopped';
  /** ISO instants; null: not yet. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** What came out, as the model reads it. */
  readonly output: string;
  /** Lines of a diff (' ', '-', '+' in front); empty: it changed no file. */
  readonly diff: readonly string[];
  /** Calls of the sub-agent that does it, newest last: their names. */
  readonly subCalls: readonly string[];
  readonly stream?: StreamId;
}

/** A reply block that still grows. */
export interface LiveBlock {
  readonly type: 'text' | 'thinking' | 'tool_use';
  /** Of a call: its name. */
  readonly text: string;
}
