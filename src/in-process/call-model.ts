import { randomUUID } from 'node:crypto';
import { textOfFailure, toApiFailure, type ApiFailure } from '../activities/call-model/api-failure';
import { toApiMessages } from '../activities/call-model/api-messages';
import {
  interruptedOf,
  replyOf,
  withheldAs,
  warned,
  withheldReply,
} from '../activities/call-model/outcome';
import { toRequest } from '../activities/call-model/request';
import { syntheticReply } from '../activities/new-record';
import type { ModelEvent, ModelRequest } from '../loop/deps';
import type { ModelOutcome } from '../loop/outcomes';
import type { AssistantRecord } from '../transcript/record';
import { openReply } from './open-reply';
import { chainPending } from './pending-records';
import { prepareContext, recordDecided } from './prepared-context';
import type { Run } from './run';

/** Stages 1 to 3 of an iteration: one request, its events told as the consumer asks for them. */
export async function* callModel(
  run: Run,
  asked: ModelRequest,
): AsyncGenerator<ModelEvent, ModelOutcome> {
  const { transcript, tools, stop, options } = run;
  const { model } = asked.toolUseContext;
  const call = { input: { model }, hasStopHooks: options.onStop !== undefined };
  const leaf = chainPending(transcript, asked.messages, run.facts()) ?? '';
  const prepared = prepareContext(run, leaf, { model, room: asked.room });
  if (prepared.verdict === 'compact') return { type: 'compaction_needed', leaf };
  if (prepared.verdict === 'blocked') return { type: 'blocking_limit', leaf };
  const requestLeaf = recordDecided(run, leaf, prepared.decided);
  const request = toRequest({
    model,
    maxTokens: asked.maxOutputTokensOverride ?? run.maxOutputTokens,
    system: options.system ?? [],
    tools,
    messages: toApiMessages(prepared.messages, null),
    maxThinkingTokens: 0,
    taskBudget: asked.taskBudget ?? null,
  });
  const stream = randomUUID();
  const reply = openReply(run, requestLeaf, model);
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
    const answer = replyOf(reply.commit(), tools, call, { requestLeaf, stream, model });
    return warned(answer, prepared.warning);
  } catch (error) {
    if (stop.aborted) {
      reply.cutOff();
      return interruptedOf(reply.commit(), { tools, stream, requestLeaf });
    }
    const failure = toApiFailure(error);
    const withheld = withheldAs(failure.kind, run.gates);
    if (withheld !== null) return withheldReply(call, requestLeaf, withheld);
    const told = transcript.append(requestLeaf, [errorReply(run, failure)]);
    return replyOf(told, tools, call, { requestLeaf, stream: '', model });
  }
}

function errorReply({ facts }: Run, failure: ApiFailure): AssistantRecord {
  const { kind: apiError } = failure;
  const record = syntheticReply(facts(), { text: textOfFailure(failure), error: apiError });
  return { ...record, everloop: { apiError } };
}
