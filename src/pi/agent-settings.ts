import type { InitialState } from './agent-state';
import type { AgentLoopConfig } from './config';
import { isForModels } from './message-kind';
import type { QueueMode } from './message-queue';
import type { SimpleStreamOptions, StreamFn, ThinkingBudgets, Transport } from './model';
import { streamAnthropic } from './stream-anthropic';
import type { ToolExecutionMode } from './tool';

type Hooks = Pick<
  AgentLoopConfig,
  | 'beforeToolCall'
  | 'afterToolCall'
  | 'transformContext'
  | 'getApiKey'
  | 'prepareRequest'
  | 'prepareNextTurn'
  | 'finishTurn'
  | 'shouldStopAfterTurn'
>;

export interface AgentOptions extends Hooks {
  initialState?: InitialState;
  /** Omitted: the messages that a model understands as they are, and no others. */
  convertToLlm?: AgentLoopConfig['convertToLlm'];
  /** Omitted: the Anthropic API. */
  streamFn?: StreamFn;
  onPayload?: SimpleStreamOptions['onPayload'];
  onResponse?: SimpleStreamOptions['onResponse'];
  /** Omitted: one-at-a-time, as of follow-ups. */
  steeringMode?: QueueMode;
  followUpMode?: QueueMode;
  sessionId?: string;
  thinkingBudgets?: ThinkingBudgets;
  transport?: Transport;
  maxRetryDelayMs?: number;
  toolExecution?: ToolExecutionMode;
}

/** What may be changed between runs and holds for the next one. */
export class AgentSettings {
  convertToLlm: AgentLoopConfig['convertToLlm'];
  streamFn: StreamFn;
  transformContext: Hooks['transformContext'];
  getApiKey: Hooks['getApiKey'];
  beforeToolCall: Hooks['beforeToolCall'];
  afterToolCall: Hooks['afterToolCall'];
  prepareRequest: Hooks['prepareRequest'];
  prepareNextTurn: Hooks['prepareNextTurn'];
  finishTurn: Hooks['finishTurn'];
  shouldStopAfterTurn: Hooks['shouldStopAfterTurn'];
  onPayload: SimpleStreamOptions['onPayload'];
  onResponse: SimpleStreamOptions['onResponse'];
  sessionId: string | undefined;
  thinkingBudgets: ThinkingBudgets | undefined;
  transport: Transport;
  maxRetryDelayMs: number | undefined;
  toolExecution: ToolExecutionMode;

  constructor(options: AgentOptions) {
    this.convertToLlm = options.convertToLlm ?? ((messages) => messages.filter(isForModels));
    this.streamFn = options.streamFn ?? streamAnthropic;
    this.transformContext = options.transformContext;
    this.getApiKey = options.getApiKey;
    this.beforeToolCall = options.beforeToolCall;
    this.afterToolCall = options.afterToolCall;
    this.prepareRequest = options.prepareRequest;
    this.prepareNextTurn = options.prepareNextTurn;
    this.finishTurn = options.finishTurn;
    this.shouldStopAfterTurn = options.shouldStopAfterTurn;
    this.onPayload = options.onPayload;
    this.onResponse = options.onResponse;
    this.sessionId = options.sessionId;
    this.thinkingBudgets = options.thinkingBudgets;
    this.transport = options.transport ?? 'auto';
    this.maxRetryDelayMs = options.maxRetryDelayMs;
    this.toolExecution = options.toolExecution ?? 'parallel';
  }

  /** As they are now, for one run. */
  protected settings() {
    return defined({
      sessionId: this.sessionId,
      onPayload: this.onPayload,
      onResponse: this.onResponse,
      transport: this.transport,
      thinkingBudgets: this.thinkingBudgets,
      maxRetryDelayMs: this.maxRetryDelayMs,
      toolExecution: this.toolExecution,
      convertToLlm: this.convertToLlm,
      transformContext: this.transformContext,
      getApiKey: this.getApiKey,
      beforeToolCall: this.beforeToolCall,
      afterToolCall: this.afterToolCall,
      prepareRequest: this.prepareRequest,
      prepareNextTurn: this.prepareNextTurn,
      finishTurn: this.finishTurn,
      shouldStopAfterTurn: this.shouldStopAfterTurn,
    });
  }
}

/** Without the keys that have no value: a setting that is there and undefined would hide a default. */
function defined<T extends object>(options: T): { [Key in keyof T]: Exclude<T[Key], undefined> } {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]: Exclude<T[Key], undefined> };
}
