import type { AutoCompactTracking } from './auto-compact-tracking';
import type { CompactOutcome, CompactTrigger } from './compaction';
import type { Context, ToolUse } from './context';
import type { Locals } from './locals';
import type { Reply, ToolOutcome } from './outcomes';
import type { State } from './state';
import type { Terminal } from './terminal';

/** What the loop tells its consumer. In the Workflow these drive status and rollover; in-process, everything. */
export type LoopEvent =
  | { readonly type: 'stream_request_start'; readonly turnCount: number; readonly model: string }
  | { readonly type: 'stream_event'; readonly event: unknown }
  | { readonly type: 'assistant'; readonly reply: Reply }
  | { readonly type: 'tool_result'; readonly toolUse: ToolUse; readonly outcome: ToolOutcome }
  | { readonly type: 'tool_use_summary'; readonly summary: string }
  | { readonly type: 'attachment'; readonly attachment: Attachment }
  | {
      readonly type: 'compaction';
      readonly trigger: CompactTrigger;
      readonly outcome: CompactOutcome;
    }
  | { readonly type: 'transition'; readonly state: State; readonly locals: Locals }
  | {
      readonly type: 'end';
      readonly messages: Context;
      readonly terminal: Terminal;
      /** What the session's next query should know of compactions. Absent: what the last transition told. */
      readonly autoCompactTracking?: AutoCompactTracking | null;
    };

export type Attachment =
  | { readonly type: 'queued_message'; readonly messageId: string }
  | { readonly type: 'max_turns_reached'; readonly maxTurns: number; readonly turnCount: number };
