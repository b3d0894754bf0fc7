import type { Anything } from './anything';
import type { AgentMessage, ToolResultMessage } from './message';
import type { AssistantMessageEvent } from './model';

/** What a run tells. `agent_end` is the last, and `messages` holds only those that the run added.
 *  `turn_end`: a reply, and its tools' results in the order of the calls. */
export type AgentEvent =
  | { type: 'agent_start' }
  | { type: 'agent_end'; messages: AgentMessage[] }
  | { type: 'turn_start' }
  | { type: 'turn_end'; message: AgentMessage; toolResults: ToolResultMessage[] }
  | { type: 'message_start'; message: AgentMessage }
  | {
      type: 'message_update';
      message: AgentMessage;
      assistantMessageEvent: AssistantMessageEvent;
    }
  | { type: 'message_end'; message: AgentMessage }
  | { type: 'tool_execution_start'; toolCallId: string; toolName: string; args: Anything }
  | {
      type: 'tool_execution_update';
      toolCallId: string;
      toolName: string;
      args: Anything;
      partialResult: Anything;
    }
  | {
      type: 'tool_execution_end';
      toolCallId: string;
      toolName: string;
      result: Anything;
      isError: boolean;
    };

/** Hears every event; the run waits until it has. */
export type AgentEventSink = (event: AgentEvent) => Promise<void> | void;
