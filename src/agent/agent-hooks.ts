import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { PermissionMode } from '../loop/state';
import type { CallJudgement, CallToJudge } from '../permissions/classifier';
import type { ToolResult } from '../tools/tool';

type Awaitable<Value> = Value | Promise<Value>;

/** The hooks of Pi's loop, asked where the session is served. A process that is lost while it asks is followed by
 *  one that asks again; what a hook has answered is never lost.
 *  Fails: a throw of a hook around a tool call is the call's result; any other is tried again until it succeeds,
 *  unless it is a non-retryable ApplicationFailure, which ends the query. */
export interface AgentHooks {
  /** After the input fits the schema, before permission is asked for. */
  beforeToolCall?(call: AgentToolCall, at: HookPlace): Awaitable<BeforeToolCallResult | undefined>;
  /** In permission mode `auto`, for calls that no rule decides. Nothing: a small model judges. */
  judgeToolCall?(call: CallToJudge, at: HookPlace): Awaitable<CallJudgement | undefined>;
  /** When the tool has run, before its result is recorded. */
  afterToolCall?(call: FinishedToolCall, at: HookPlace): Awaitable<AfterToolCallResult | undefined>;
  /** Before every request: prunes or adds. The transcript stays as it is. */
  transformContext?(
    messages: readonly AgentMessage[],
    at: HookPlace,
  ): Awaitable<readonly AgentMessage[]>;
  /** Behind `transformContext`: makes of the context what the model understands. Neighbours of one role are merged
   *  and calls without a result get one, whatever it returns. */
  convertToLlm?(
    messages: readonly AgentMessage[],
    at: HookPlace,
  ): Awaitable<readonly AgentMessage[]>;
  /** Behind the two, since keys expire while tools run. Nothing: the Worker's own key is used. */
  getApiKey?(provider: string, at: HookPlace): Awaitable<string | undefined>;
  /** At the end of a turn: what should be heard before the next reply. */
  getSteeringMessages?(at: HookPlace): Awaitable<readonly NewMessage[]>;
  /** What should be done when the query would otherwise end. */
  getFollowUpMessages?(at: HookPlace): Awaitable<readonly NewMessage[]>;
  /** At the end of a turn, before the queues are asked. true ends the query. */
  shouldStopAfterTurn?(turn: AgentTurn, at: HookPlace): Awaitable<boolean>;
  /** First of all at the end of a turn: what later requests are made with. */
  prepareNextTurn?(turn: AgentTurn, at: HookPlace): Awaitable<NextTurn | undefined>;
}

/** Where and for whom a hook is asked. */
export interface HookPlace {
  readonly sessionId: string;
  /** Id of the message that the query answers. */
  readonly promptId: string;
  /** The session's folder. Absolute. */
  readonly cwd: string;
  /** The same whenever this is asked again because a process was lost: a key for what the hook does outside. */
  readonly key: string;
  /** Aborts when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

export interface AgentMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string | readonly ContentBlockParam[];
  /** Names its record in the transcript; absent: it has none. */
  readonly uuid?: string;
}

/** Content of a message that a hook brings, taken as it is: no command in it is carried out. */
export type NewMessage = string | readonly ContentBlockParam[];

export interface AgentToolCall {
  readonly id: string;
  readonly name: string;
  /** As the model wrote it. */
  readonly input: unknown;
  /** Checked against the schema. What `beforeToolCall` changes in it reaches the tool unchecked; JSON. */
  readonly args: unknown;
}

/** `block`: the call is not run, and the model reads `reason` instead of a result. */
export interface BeforeToolCallResult {
  readonly block?: boolean;
  readonly reason?: string;
  readonly terminate?: boolean;
}

export interface FinishedToolCall extends AgentToolCall {
  readonly result: Pick<ToolResult, 'content' | 'structured' | 'terminate'>;
  readonly isError: boolean;
}

/** Replaces the fields of the result that it names, each as a whole. */
export interface AfterToolCallResult {
  readonly content?: ToolResult['content'];
  readonly structured?: unknown;
  readonly isError?: boolean;
  /** No further reply is wanted; counts only if every call of the reply says so. */
  readonly terminate?: boolean;
}

/** A turn that ended well. */
export interface AgentTurn {
  readonly message: AgentMessage;
  /** In the order of the calls. */
  readonly toolResults: readonly AgentMessage[];
  /** The context with all of it, oldest first. */
  readonly messages: readonly AgentMessage[];
  /** false: the query ends here unless messages are brought. */
  readonly willGoOn: boolean;
}

/** What is left out stays. */
export interface NextTurn {
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
}

/** Whether anybody wants to hear of the end of a turn. If not, turns cost nothing more. */
export function hasTurnHooks(hooks: AgentHooks): boolean {
  return (
    hooks.getSteeringMessages !== undefined ||
    hooks.getFollowUpMessages !== undefined ||
    hooks.shouldStopAfterTurn !== undefined ||
    hooks.prepareNextTurn !== undefined
  );
}
