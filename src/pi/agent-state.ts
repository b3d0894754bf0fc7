import type { AgentEvent } from './agent-event';
import type { AgentMessage } from './message';
import type { Model, ThinkingLevel } from './model';
import type { AgentTool } from './tool';

/** What an Agent shows of itself. Assigning `tools` or `messages` copies the list; the list that is read is the
 *  agent's own. */
export interface AgentState {
  systemPrompt: string;
  model: Model;
  thinkingLevel: ThinkingLevel;
  tools: AgentTool[];
  messages: AgentMessage[];
  /** true until every listener has heard the end of the run. */
  readonly isStreaming: boolean;
  /** The reply as far as it has come. */
  readonly streamingMessage?: AgentMessage | undefined;
  /** Ids of the calls that run. */
  readonly pendingToolCalls: ReadonlySet<string>;
  /** Of the last reply that failed or was stopped; a new run clears it. */
  readonly errorMessage?: string | undefined;
}

export type InitialState = Partial<
  Pick<AgentState, 'systemPrompt' | 'model' | 'thinkingLevel' | 'tools' | 'messages'>
>;

/** Stands in until a model is chosen. */
const NO_MODEL: Model = {
  id: 'unknown',
  name: 'unknown',
  api: 'unknown',
  provider: 'unknown',
  baseUrl: '',
  reasoning: false,
  input: [],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 0,
  maxTokens: 0,
};

/** The state as its owner sees it: follows the events of a run. */
export class LiveState implements AgentState {
  systemPrompt: string;
  model: Model;
  thinkingLevel: ThinkingLevel;
  isStreaming = false;
  streamingMessage: AgentMessage | undefined;
  pendingToolCalls: ReadonlySet<string> = new Set();
  errorMessage: string | undefined;
  #tools: AgentTool[];
  #messages: AgentMessage[];

  constructor(initial: InitialState = {}) {
    this.systemPrompt = initial.systemPrompt ?? '';
    this.model = initial.model ?? NO_MODEL;
    this.thinkingLevel = initial.thinkingLevel ?? 'off';
    this.#tools = [...(initial.tools ?? [])];
    this.#messages = [...(initial.messages ?? [])];
  }

  get tools(): AgentTool[] {
    return this.#tools;
  }

  set tools(tools: AgentTool[]) {
    this.#tools = [...tools];
  }

  get messages(): AgentMessage[] {
    return this.#messages;
  }

  set messages(messages: AgentMessage[]) {
    this.#messages = [...messages];
  }

  beginRun(): void {
    this.endRun();
    this.isStreaming = true;
    this.errorMessage = undefined;
  }

  endRun(): void {
    this.isStreaming = false;
    this.streamingMessage = undefined;
    this.pendingToolCalls = new Set();
  }

  after(event: AgentEvent): void {
    switch (event.type) {
      case 'message_start':
      case 'message_update':
        this.streamingMessage = event.message;
        return;
      case 'message_end':
        this.streamingMessage = undefined;
        this.#messages.push(event.message);
        return;
      case 'tool_execution_start':
        this.pendingToolCalls = new Set([...this.pendingToolCalls, event.toolCallId]);
        return;
      case 'tool_execution_end': {
        const others = [...this.pendingToolCalls].filter((id) => id !== event.toolCallId);
        this.pendingToolCalls = new Set(others);
        return;
      }
      case 'turn_end':
        if (event.message.role === 'assistant' && event.message.errorMessage !== undefined) {
          this.errorMessage = event.message.errorMessage;
        }
        return;
      case 'agent_start':
      case 'agent_end':
      case 'turn_start':
      case 'tool_execution_update':
    }
  }
}
