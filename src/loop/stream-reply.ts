import type { LoopDeps, ModelRequest } from './deps';
import type { LoopEvent } from './events';
import type { ModelOutcome } from './outcomes';
import type { QueryParams } from './query-params';
import type { ToolScheduler } from './tool-scheduler';

/** Sends one request and follows its stream; safe calls may start before it ends. */
export async function* streamReply(
  request: ModelRequest,
  tools: ToolScheduler,
  deps: LoopDeps,
  params: QueryParams,
): AsyncGenerator<LoopEvent, ModelOutcome> {
  const stream = deps.callModel(request);
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
