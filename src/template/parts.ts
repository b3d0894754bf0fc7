/** Work with a result: a promise, or a generator that also tells how it gets on. */
export type Progress<P, T> = Promise<T> | AsyncGenerator<P, T>;

/** One wish of the model. */
export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** What the loop needs to know of a reply; everything else in it is the model's own affair. */
export interface Reply {
  readonly toolCalls?: readonly Call[];
}

/** The conversation. A model adapter turns it into what its API expects. */
export type Message<R extends Reply> =
  | { readonly role: 'user'; readonly content: unknown }
  | { readonly role: 'assistant'; readonly reply: R }
  | {
      readonly role: 'tool';
      readonly callId: string;
      readonly name: string;
      readonly content: unknown;
      readonly isError: boolean;
    };

export interface Model<R extends Reply, P = never> {
  /** Gives up when the signal aborts, so that the network is released. */
  complete(
    messages: readonly Message<R>[],
    options: { readonly signal: AbortSignal },
  ): Progress<P, R>;
}

/** Throws to fail: the model reads the error's text. */
export type ToolHandler<P = never> = (
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a handler knows the input it declared to its model
  input: any,
  context: { readonly call: Call; readonly signal: AbortSignal },
) => Progress<P, unknown>;

export interface AgentLoopConfig<R extends Reply, P = never> {
  readonly maxTurns: number;
  readonly tools: ReadonlyMap<string, ToolHandler<P>>;
  /** false: the reply is the last one, and its calls are not run. */
  readonly shouldContinue: (reply: R) => boolean;
  /** false ends the run. It may take as long as a person takes to answer. */
  readonly onBeforeToolCall?: (call: Call) => Promise<boolean>;
  /** Looked at between steps and handed to model and tools. `AbortSignal.timeout(300_000)` bounds a run. */
  readonly signal?: AbortSignal;
  /** Runs however the loop ended, early `.return()` included. */
  readonly onEnd?: (turns: number) => void;
}

export type AgentEvent<R extends Reply> =
  | { readonly type: 'thinking'; readonly data: { readonly turn: number } }
  | { readonly type: 'response'; readonly data: R }
  | { readonly type: 'tool_call'; readonly data: Call }
  | {
      readonly type: 'tool_result';
      readonly data: { readonly call: Call; readonly result: unknown };
    }
  | { readonly type: 'error'; readonly data: { readonly call?: Call; readonly error: unknown } }
  | { readonly type: 'done'; readonly data: Pick<Ending<R>, 'turns' | 'reason'> };

/** `messages`: the whole conversation, every call answered: another run may go on from it. */
export interface Ending<R extends Reply> {
  readonly turns: number;
  readonly reason: 'stop_condition' | 'user_denied' | 'max_turns' | 'aborted' | 'model_error';
  readonly messages: readonly Message<R>[];
}

export function answerOf<R extends Reply>(
  { id, name }: Call,
  content: unknown,
  isError = false,
): Message<R> {
  return { role: 'tool', callId: id, name, content, isError };
}
