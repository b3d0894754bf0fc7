import type { AgentEvent, AgentLoopConfig, Ending, Model, Progress, Reply } from './parts';
import { answerOf, type Call, type Message } from './parts';

/** An agent as one generator: asks the model, runs the tools it calls, and tells each step as it happens.
 *  Cold: nothing runs before the first `next()`, and nothing runs ahead of the consumer.
 *  Every run that is read to its end tells exactly one `done`, and returns it with the conversation.
 *  Never throws for what the model or a tool does: that is an `error` event. */
export async function* createAgentLoop<R extends Reply, P = never>(
  model: Model<R, P>,
  initialMessages: readonly Message<R>[],
  config: AgentLoopConfig<R, P>,
): AsyncGenerator<AgentEvent<R> | P, Ending<R>> {
  const { signal = new AbortController().signal } = config;
  const messages = [...initialMessages];
  const isAborted = (): boolean => signal.aborted;
  let turns = 0;

  function* end(reason: Ending<R>['reason']): Generator<AgentEvent<R>, Ending<R>> {
    yield { type: 'done', data: { turns, reason } };
    return { turns, reason, messages };
  }

  try {
    while (turns < config.maxTurns) {
      if (isAborted()) return yield* end('aborted');
      turns += 1;
      yield { type: 'thinking', data: { turn: turns } };
      let reply: R;
      try {
        reply = yield* follow(model.complete(messages, { signal }));
      } catch (error) {
        if (isAborted()) return yield* end('aborted');
        yield { type: 'error', data: { error } };
        return yield* end('model_error');
      }
      // Before its results: a conversation with an answer ahead of its question is refused by every API.
      messages.push({ role: 'assistant', reply });
      yield { type: 'response', data: reply };

      const { toolCalls = [] } = reply;
      const ending = config.shouldContinue(reply)
        ? yield* answerCalls(toolCalls, messages, { ...config, signal })
        : 'stop_condition';
      if (ending !== null) {
        leaveNoCallOpen(toolCalls, messages);
        return yield* end(ending);
      }
    }
    return yield* end('max_turns');
  } finally {
    config.onEnd?.(turns);
  }
}

/** Runs the calls of one reply, in order. Returns why the loop ends here; null: it goes on. */
async function* answerCalls<R extends Reply, P>(
  calls: readonly Call[],
  messages: Message<R>[],
  { tools, onBeforeToolCall, signal }: AgentLoopConfig<R, P> & { readonly signal: AbortSignal },
): AsyncGenerator<AgentEvent<R> | P, 'user_denied' | 'aborted' | null> {
  for (const call of calls) {
    if (signal.aborted) return 'aborted';
    const allowed = (await onBeforeToolCall?.(call)) ?? true;
    if (!allowed) return 'user_denied';
    yield { type: 'tool_call', data: call };
    try {
      const tool = tools.get(call.name);
      if (tool === undefined) throw new Error(`Unknown tool: ${call.name}`);
      const result = yield* follow(tool(call.input, { call, signal }));
      messages.push(answerOf(call, result));
      yield { type: 'tool_result', data: { call, result } };
    } catch (error) {
      messages.push(answerOf(call, textOf(error), true));
      yield { type: 'error', data: { call, error } };
    }
  }
  return signal.aborted ? 'aborted' : null;
}

/** A call without an answer would make the kept conversation useless for another run. */
function leaveNoCallOpen<R extends Reply>(calls: readonly Call[], messages: Message<R>[]): void {
  const answered = messages.slice(messages.findLastIndex(({ role }) => role === 'assistant') + 1);
  for (const call of calls.slice(answered.length)) {
    messages.push(answerOf(call, 'This call was not run.', true));
  }
}

/** Waits for a plain promise, or passes on what a generator tells while it works. */
async function* follow<P, T>(work: Progress<P, T>): AsyncGenerator<P, T> {
  return Symbol.asyncIterator in work ? yield* work : await work;
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
