import type { ModelEvent, ModelRequest } from '../loop/deps';
import type { ModelOutcome } from '../loop/outcomes';
import type { AssistantMessage } from './message';
import type { AssistantMessageEvent, AssistantMessageStream } from './model';
import { leafOf, takeHeld, tell, update, type Run } from './run';
import { createToolBatch } from './tool-batch';

/** One turn up to the end of its reply: what was held is told and asked with, the reply is told as it streams. */
export async function* askModel(
  run: Run,
  { messages, turnCount }: ModelRequest,
): AsyncGenerator<ModelEvent, ModelOutcome> {
  const { emit, newMessages } = run;
  if (turnCount > 1) await emit({ type: 'turn_start' });
  for (const message of takeHeld(run, messages)) {
    await tell(emit, message);
    run.context.messages.push(message);
    newMessages.push(message);
  }
  run.waiting.clear();
  const { context, config, signal } = run;
  const { model, reasoning: thinkingLevel = 'off' } = config;
  update(run, await config.prepareRequest?.({ context, model, thinkingLevel }, signal));
  const requestLeaf = leafOf(run);
  const reply = yield* followReply(run, await sendRequest(run));
  newMessages.push(reply);
  const isFailed = reply.stopReason === 'error' || reply.stopReason === 'aborted';
  if (isFailed) {
    const turn = { message: reply, toolResults: [], context: run.context, newMessages };
    await config.finishTurn?.(turn, signal);
    await emit({ type: 'turn_end', message: reply, toolResults: [] });
  }
  run.batch = createToolBatch(run, reply);
  return {
    type: 'reply',
    requestLeaf,
    leaf: leafOf(run),
    stream: leafOf(run),
    toolUses: isFailed ? [] : run.batch.toolUses,
    stopReason: reply.stopReason,
    // Nothing is tried again here: the message tells what went wrong, and `continue` may be asked for.
    withheld: null,
    apiError: isFailed ? 'unknown' : null,
    usage: {
      input_tokens: reply.usage.input,
      output_tokens: reply.usage.output,
      cache_creation_input_tokens: reply.usage.cacheWrite,
      cache_read_input_tokens: reply.usage.cacheRead,
    },
    model: reply.model,
    apiMs: 0,
  };
}

/** Transform, convert, key, request: in this order, and anew for every call. */
async function sendRequest({
  context,
  config,
  signal,
  streamFn,
}: Run): Promise<AssistantMessageStream> {
  const { transformContext, convertToLlm, getApiKey, model } = config;
  const seen = (await transformContext?.(context.messages, signal)) ?? context.messages;
  const messages = await convertToLlm(seen);
  const apiKey = (await getApiKey?.(model.provider)) || config.apiKey;
  const { systemPrompt, tools } = context;
  return streamFn(
    model,
    { systemPrompt, messages, ...(tools !== undefined && { tools }) },
    { ...config, ...(apiKey !== undefined && { apiKey }), ...(signal !== undefined && { signal }) },
  );
}

/** The partial message stands in the context while it grows, and the final one takes its place. */
async function* followReply(
  { context: { messages }, emit }: Run,
  stream: AssistantMessageStream,
): AsyncGenerator<ModelEvent, AssistantMessage> {
  const place = messages.length;
  let hasStarted = false;
  for await (const event of stream) {
    if (event.type === 'done' || event.type === 'error') break;
    if (event.type !== 'start' && !hasStarted) continue;
    messages[place] = event.partial;
    await emit(asAgentEvent(event));
    hasStarted = true;
    yield { type: 'stream_event', event };
  }
  const message = await stream.result();
  messages[place] = message;
  if (!hasStarted) await emit({ type: 'message_start', message: { ...message } });
  await emit({ type: 'message_end', message });
  return message;
}

type Part = Exclude<AssistantMessageEvent, { type: 'done' | 'error' }>;

function asAgentEvent(event: Part) {
  const message = { ...event.partial };
  return event.type === 'start'
    ? ({ type: 'message_start', message } as const)
    : ({ type: 'message_update', assistantMessageEvent: event, message } as const);
}
