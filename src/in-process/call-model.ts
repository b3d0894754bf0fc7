import { randomUUID } from 'node:crypto';
import { textOfFailure, toApiFailure } from '../activities/call-model/api-failure';
import { toApiMessages } from '../activities/call-model/api-messages';
import { interruptedOf, replyOf } from '../activities/call-model/outcome';
import { toRequest } from '../activities/call-model/request';
import { syntheticReply } from '../activities/new-record';
import type { ModelEvent, ModelRequest } from '../loop/deps';
import type { ModelOutcome } from '../loop/outcomes';
import type { AssistantRecord } from '../transcript/record';
import { openReply } from './open-reply';
import { chainPending } from './pending-records';
import type { Run } from './run-in-process';

/** Stages 1 to 3 of an iteration: one request, its events told as the consumer asks for them. */
export async function* callModel(
  run: Run,
  { messages, toolUseContext, turnCount: turn, maxOutputTokensOverride }: ModelRequest,
): AsyncGenerator<ModelEvent, ModelOutcome> {
  const { transcript, tools, stop, options } = run;
  const { model } = toolUseContext;
  const requestLeaf = chainPending(transcript, messages, run.facts()) ?? '';
  const request = toRequest({
    model,
    maxTokens: maxOutputTokensOverride ?? run.maxOutputTokens,
    system: options.system ?? [],
    tools,
    messages: toApiMessages(transcript.chain(requestLeaf), null),
    maxThinkingTokens: 0,
  });
  const input = { messages, model, turn, early: true };
  const stream = randomUUID();
  const reply = openReply(run, requestLeaf);
  try {
    stop.throwIfAborted();
    for await (const event of await options.callApi(request, { signal: stop })) {
      stop.throwIfAborted();
      const ready = reply.take(event);
      yield { type: 'stream_event', event };
      if (ready !== null) yield { type: 'tool_ready', stream, toolUse: ready };
    }
    stop.throwIfAborted();
    if (!reply.isComplete()) throw new Error('The stream ended in the middle of the reply.');
    return replyOf(reply.commit(), tools, input, { requestLeaf, stream });
  } catch (error) {
    if (stop.aborted) {
      reply.cutOff();
      return interruptedOf(reply.commit(), { tools, stream, requestLeaf });
    }
    const told = transcript.append(requestLeaf, [errorReply(run, error)]);
    return replyOf(told, tools, input, { requestLeaf, stream: '' });
  }
}

function errorReply({ facts }: Run, error: unknown): AssistantRecord {
  const failure = toApiFailure(error);
  const { kind: apiError } = failure;
  const record = syntheticReply(facts(), { text: textOfFailure(failure), error: apiError });
  return { ...record, everloop: { apiError } };
}
