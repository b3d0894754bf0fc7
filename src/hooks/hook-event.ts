import type { PermissionMode } from '../loop/state';

/** What hooks are told besides the common fields, by event. Wire names.
 *  Source: the public hooks reference of Claude Code. */
interface EventFields {
  SessionStart: {
    readonly source: 'startup' | 'resume' | 'clear' | 'compact';
    readonly model?: string;
  };
  UserPromptSubmit: { readonly prompt: string };
  PreToolUse: ToolFields & { readonly tool_use_id: string };
  PermissionRequest: ToolFields & {
    readonly tool_use_id?: string;
    readonly permission_suggestions?: readonly unknown[];
  };
  PostToolUse: ToolFields & {
    readonly tool_use_id: string;
    readonly tool_response: unknown;
    readonly duration_ms?: number;
  };
  PostToolUseFailure: ToolFields & {
    readonly tool_use_id: string;
    readonly error: string;
    readonly is_interrupt: boolean;
    readonly duration_ms?: number;
  };
  PostToolBatch: { readonly tool_calls: readonly BatchedCall[] };
  Notification: {
    readonly message: string;
    readonly title?: string;
    readonly notification_type: string;
  };
  Stop: StopFields;
  StopFailure: {
    readonly error: string;
    readonly error_details?: string;
    readonly last_assistant_message?: string;
  };
  SubagentStart: { readonly agent_id: string; readonly agent_type: string };
  SubagentStop: StopFields & {
    readonly agent_id: string;
    readonly agent_type: string;
    readonly agent_transcript_path: string;
  };
  PreCompact: {
    readonly trigger: 'manual' | 'auto';
    /** null: none were given. */
    readonly custom_instructions: string | null;
  };
  PostCompact: { readonly trigger: 'manual' | 'auto'; readonly compact_summary: string };
  SessionEnd: { readonly reason: string };
}

interface ToolFields {
  readonly tool_name: string;
  readonly tool_input: unknown;
}

interface BatchedCall extends ToolFields {
  readonly tool_use_id: string;
  readonly tool_response?: unknown;
}

interface StopFields {
  readonly stop_hook_active: boolean;
  readonly last_assistant_message?: string;
}

interface CommonFields {
  readonly session_id: string;
  readonly transcript_path: string;
  readonly cwd: string;
  readonly permission_mode?: PermissionMode;
  readonly prompt_id?: string;
  /** Set inside a sub-agent. */
  readonly agent_id?: string;
  readonly agent_type?: string;
}

export type HookEvent = keyof EventFields;

/** What only this event tells. */
export type HookFieldsOf<Event extends HookEvent> = EventFields[Event];

export type HookInputOf<Event extends HookEvent> = CommonFields &
  EventFields[Event] & { readonly hook_event_name: Event };

/** What one hook reads. JSON. */
export type HookInput = { [Event in HookEvent]: HookInputOf<Event> }[HookEvent];

/** What an objection (exit code 2, `decision: "block"`) does. `blocks` has a meaning of its own for each event:
 *  the prompt is refused, the agent goes on, the compaction is skipped, the model is told. `shown`: the event
 *  cannot be undone, people are told. */
export type Objection = 'denies_call' | 'denies_request' | 'blocks' | 'shown';

interface EventTraits {
  readonly objection: Objection;
  /** Whether what a hook prints reaches the model without being wrapped in JSON. */
  readonly printsContext: boolean;
}

const blocks: EventTraits = { objection: 'blocks', printsContext: false };
const shown: EventTraits = { objection: 'shown', printsContext: false };

const EVENTS: Readonly<Record<HookEvent, EventTraits>> = {
  SessionStart: { ...shown, printsContext: true },
  UserPromptSubmit: { ...blocks, printsContext: true },
  PreToolUse: { objection: 'denies_call', printsContext: false },
  PermissionRequest: { objection: 'denies_request', printsContext: false },
  PostToolUse: blocks,
  PostToolUseFailure: blocks,
  PostToolBatch: blocks,
  Notification: shown,
  Stop: blocks,
  StopFailure: shown,
  SubagentStart: shown,
  SubagentStop: blocks,
  PreCompact: { ...blocks, printsContext: true },
  PostCompact: shown,
  SessionEnd: shown,
};

export function isHookEvent(name: string): name is HookEvent {
  return Object.hasOwn(EVENTS, name);
}

export function traitsOf(event: HookEvent): EventTraits {
  return EVENTS[event];
}

/** What matchers are held against; null: the event has nothing to choose by, every hook of it runs. */
export function matcherValueOf(input: HookInput): string | null {
  switch (input.hook_event_name) {
    case 'PreToolUse':
    case 'PermissionRequest':
    case 'PostToolUse':
    case 'PostToolUseFailure':
      return input.tool_name;
    case 'SessionStart':
      return input.source;
    case 'Notification':
      return input.notification_type;
    case 'StopFailure':
      return input.error;
    case 'SubagentStart':
    case 'SubagentStop':
      return input.agent_type;
    case 'PreCompact':
    case 'PostCompact':
      return input.trigger;
    case 'SessionEnd':
      return input.reason;
    case 'UserPromptSubmit':
    case 'PostToolBatch':
    case 'Stop':
      return null;
  }
}
