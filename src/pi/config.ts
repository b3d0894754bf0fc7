import type { Anything } from './anything';
import type {
  AgentMessage,
  AssistantMessage,
  ImageContent,
  Message,
  TextContent,
  ToolCall,
  ToolResultMessage,
} from './message';
import type { Model, SimpleStreamOptions, ThinkingLevel } from './model';
import type { AgentTool, AgentToolResult, ToolExecutionMode } from './tool';

/** What a run starts from. `messages` grows while it runs. */
export interface AgentContext {
  systemPrompt: string;
  messages: AgentMessage[];
  tools?: AgentTool[];
}

export type AgentToolCall = ToolCall;

export interface BeforeToolCallContext {
  assistantMessage: AssistantMessage;
  /** As the model wrote it. */
  toolCall: AgentToolCall;
  /** Checked against the schema. What the hook changes in them reaches the tool unchecked. */
  args: unknown;
  context: AgentContext;
}

/** `block`: the call is not run, and `reason` is what the model reads instead of a result. */
export interface BeforeToolCallResult {
  block?: boolean;
  reason?: string;
  terminate?: boolean;
}

export interface AfterToolCallContext extends BeforeToolCallContext {
  result: AgentToolResult<Anything>;
  isError: boolean;
}

/** Replaces the fields of the result that it names, each as a whole. */
export interface AfterToolCallResult {
  content?: (TextContent | ImageContent)[];
  details?: unknown;
  isError?: boolean;
  terminate?: boolean;
}

/** A turn that is over, its messages in the context already. `newMessages`: all that the run added so far. */
export interface ShouldStopAfterTurnContext {
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  context: AgentContext;
  newMessages: AgentMessage[];
}

export type PrepareNextTurnContext = ShouldStopAfterTurnContext;

/** `end`: no further turn. `continue`: at least one, even if nothing is new for it. */
export type AgentTurnDecision = { action: 'end' } | { action: 'continue' };

export interface PrepareRequestContext {
  context: AgentContext;
  model: Model;
  thinkingLevel: ThinkingLevel;
}

/** Replaces what the next request is made with; what is left out stays. */
export interface AgentLoopTurnUpdate {
  context?: AgentContext;
  model?: Model;
  thinkingLevel?: ThinkingLevel;
}

/** Hooks must not throw: a throw ends the run without the events that would close it. */
export interface AgentLoopConfig extends SimpleStreamOptions {
  model: Model;
  /** Makes of the context what the model understands, before every request. */
  convertToLlm: (messages: AgentMessage[]) => Message[] | Promise<Message[]>;
  /** Changes what `convertToLlm` gets, and nothing else: prunes, adds. */
  transformContext?: (messages: AgentMessage[], signal?: AbortSignal) => Promise<AgentMessage[]>;
  /** Asked before every request, since keys expire while tools run. Nothing: `apiKey` is used. */
  getApiKey?: (provider: string) => Promise<string | undefined> | string | undefined;
  /** When everything that the request brings stands in the context; for this request and those after it. */
  prepareRequest?: (
    request: PrepareRequestContext,
    signal?: AbortSignal,
  ) => AgentLoopTurnUpdate | undefined | Promise<AgentLoopTurnUpdate | undefined>;
  /** Before `turn_end`. Of a reply that failed it only hears. */
  finishTurn?: (
    turn: ShouldStopAfterTurnContext,
    signal?: AbortSignal,
  ) => AgentTurnDecision | undefined | Promise<AgentTurnDecision | undefined>;
  /** After `turn_end`. true ends the run with no queue asked and nothing cut off. */
  shouldStopAfterTurn?: (context: ShouldStopAfterTurnContext) => boolean | Promise<boolean>;
  /** After `turn_end`, before `shouldStopAfterTurn`. */
  prepareNextTurn?: (
    context: PrepareNextTurnContext,
  ) => AgentLoopTurnUpdate | undefined | Promise<AgentLoopTurnUpdate | undefined>;
  /** What should be heard before the next reply. Asked at the start and after every turn. */
  getSteeringMessages?: () => Promise<AgentMessage[]>;
  /** What should be done when the run would otherwise end. */
  getFollowUpMessages?: () => Promise<AgentMessage[]>;
  /** Omitted: parallel. */
  toolExecution?: ToolExecutionMode;
  beforeToolCall?: (
    context: BeforeToolCallContext,
    signal?: AbortSignal,
  ) => Promise<BeforeToolCallResult | undefined>;
  afterToolCall?: (
    context: AfterToolCallContext,
    signal?: AbortSignal,
  ) => Promise<AfterToolCallResult | undefined>;
}
