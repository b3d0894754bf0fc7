import type { LoopDeps, LoopEvent, ModelOutcome } from './deps';
import type { QueryParams } from './query-params';
import type { State } from './state';
import type { ToolScheduler } from './tool-scheduler';

/** Stages 1 to 3: sends the request and follows its stream; safe calls may start before it ends. */
export async function* streamReply(
  state: State,
  tools: ToolScheduler,
  deps: LoopDeps,
  params: QueryParams,
): AsyncGenerator<LoopEvent, ModelOutcome> {
  const { messages, toolUseContext, turnCount, maxOutputTokensOverride } = state;
  yield { type: 'stream_request_start', turnCount, model: toolUseContext.model };
  const stream = deps.callModel({ messages, toolUseContext, turnCount, maxOutputTokensOverride });
  try {
    for (;;) {
      const step = await stream.next();
      if (step.done === true) {
        const outcome = step.value;
        if (outcome.type === 'reply') yield { type: 'assistant', reply: outcome };
        return outcome;
      }
      const event = step.value;
      if (event.type === 'stream_event') yield event;
      else if (params.gates.streamingToolExecution) tools.addEarly(event.stream, event.toolUse);
    }
  } finally {
    // An early end of the loop (`.return()`) must reach the request. After a normal end this does nothing.
    await stream.return(undefined as never);
  }
}
