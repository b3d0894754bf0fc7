import { ApplicationFailure } from '@temporalio/common';
import type { ModelOutcome } from '../../loop/deps';
import { fromQueryWorkflowId } from '../../loop/workflow-id';
import type { AssistantRecord, TranscriptRecord } from '../../transcript/record';
import type { Attempt } from '../attempt';
import type { ActivityDeps } from '../deps';
import type { CallModelInput } from '../interface';
import { syntheticReply, type RecordFacts } from '../new-record';
import type { ServedSession } from '../served-sessions';
import { offeredTools } from '../tool-catalog';
import {
  fittingOutputTokens,
  retryDelayMs,
  textOfFailure,
  toApiFailure,
  type ApiFailure,
} from './api-failure';
import { toApiMessages } from './api-messages';
import { chainInput } from './chain-input';
import { interruptedOf, replyOf } from './outcome';
import { toRequest } from './request';
import { sessionPrompt } from './session-prompt';
import { newStreamId } from './stream-reply';
import { streamToLog } from './stream-to-log';

/** Everything of one request that does not change while it is tried. */
export interface ModelCall {
  readonly deps: ActivityDeps;
  readonly attempt: Attempt;
  readonly input: CallModelInput;
  readonly session: ServedSession;
  readonly queryId: string;
  readonly facts: RecordFacts;
}

/** Stages 1 to 3 of an iteration: chains what the turn brings, sends the context, commits the reply.
 *  An attempt that finds its predecessor's reply adopts it instead of asking again.
 *  Fails: `ModelCall.Retry` (retryable, with the delay of spec/loop 4.9) until the retries are used up. */
export async function callModel(
  deps: ActivityDeps,
  attempt: Attempt,
  input: CallModelInput,
): Promise<ModelOutcome> {
  const session = await deps.sessions.serve(attempt.workflowId);
  const { store } = session;
  const { promptId } = fromQueryWorkflowId(attempt.workflowId);
  const call: ModelCall = {
    deps,
    attempt,
    input,
    session,
    queryId: attempt.workflowId,
    facts: {
      sessionId: store.meta.sessionId,
      cwd: store.meta.cwd,
      timestamp: deps.now().toISOString(),
      version: deps.version,
    },
  };
  const message = await store.findMessage(promptId);
  if (message === undefined)
    throw ApplicationFailure.nonRetryable(
      `Message ${promptId} is not in the store.`,
      'Session.MessageMissing',
    );
  const { options } = message;
  const tools = offeredTools(deps.tools, options);

  const adopted = await store.findAppended(replyKey(attempt));
  if (adopted !== undefined) return replyOf(adopted.filter(isReply), tools, input);
  const chained = await chainInput(call, promptId, options, tools);
  if (chained.isLocal) return { type: 'no_request', leaf: chained.leaf };

  const prompt = await sessionPrompt(call, options);
  const messages = toApiMessages(await store.chain(chained.leaf), prompt.userContext);
  const request = toRequest({
    model: input.model,
    maxTokens: input.maxOutputTokens ?? deps.maxOutputTokens,
    system: prompt.system,
    tools,
    messages,
    maxThinkingTokens: options.maxThinkingTokens,
  });
  return askModel({ call, request, tools, requestLeaf: chained.leaf });
}

interface Asked {
  readonly call: ModelCall;
  readonly request: ReturnType<typeof toRequest>;
  readonly tools: ReturnType<typeof offeredTools>;
  readonly requestLeaf: string;
}

async function askModel(asked: Asked, stream = 0): Promise<ModelOutcome> {
  const { call, request, tools, requestLeaf } = asked;
  const { attempt, deps } = call;
  const startedAtMs = deps.now().getTime();
  const id = newStreamId(attempt, stream);
  try {
    const came = await streamToLog({ ...asked, stream: id });
    const records = linkBehind(requestLeaf, came.records, deps.now().getTime() - startedAtMs);
    const kept = records.length > 0 ? await commit(call, records) : [];
    if (came.cutOff) return interruptedOf(kept, { tools, stream: id, requestLeaf });
    return replyOf(kept, tools, call.input, { requestLeaf, stream: id });
  } catch (error) {
    if (attempt.over.aborted || attempt.forgotten.aborted) throw error;
    if (attempt.stop.aborted) return interruptedOf([], { tools, stream: id, requestLeaf });
    const failure = toApiFailure(error);
    const maxTokens = fittingOutputTokens(failure);
    if (maxTokens !== null && maxTokens < request.max_tokens) {
      return askModel({ ...asked, request: { ...request, max_tokens: maxTokens } }, stream + 1);
    }
    return afterFailure(asked, failure);
  }
}

/** A retry, or the error as the reply. API failures are counted in the ledger: lost Workers use up none. */
async function afterFailure(
  { call, requestLeaf, tools }: Asked,
  failure: ApiFailure,
): Promise<ModelOutcome> {
  const { deps, attempt, session, facts } = call;
  const { store, lease } = session;
  const earlier = await store.ledger.failures(attempt.key);
  const allowed = failure.retry === 'never' ? 0 : failure.retry === 'once' ? 1 : deps.maxRetries;
  if (earlier.length < Math.min(allowed, deps.maxRetries)) {
    const number = earlier.length + 1;
    const delayMs = retryDelayMs(failure, number, deps.random());
    const { status, kind: error, message } = failure;
    await store.ledger.recordFailure(lease, attempt.key, { status, error, at: facts.timestamp });
    if (status !== null) {
      await store.log.append(lease, [
        {
          type: 'api_retry',
          queryId: call.queryId,
          attempt: number,
          maxRetries: deps.maxRetries,
          delayMs,
          status,
          error,
        },
      ]);
    }
    throw ApplicationFailure.create({
      type: 'ModelCall.Retry',
      message: `Model call failed (${status ?? 'connection'}): ${message}`.slice(0, 200),
      nextRetryDelay: delayMs,
      category: 'BENIGN',
    });
  }
  const text = textOfFailure(failure);
  const error =
    failure.kind === 'prompt_too_long' || failure.kind === 'media_size'
      ? 'invalid_request'
      : failure.kind;
  const record: AssistantRecord = {
    ...syntheticReply(facts, { text, error }),
    parentUuid: requestLeaf,
    everloop: { apiError: failure.kind },
  };
  const kept = await commit(call, [record]);
  await store.log.append(lease, [{ type: 'record', queryId: call.queryId, record }]);
  return {
    ...replyOf(kept, tools, call.input, { requestLeaf, stream: '' }),
    apiError: failure.kind,
  };
}

const replyKey = ({ key }: Attempt): string => `${key}:reply`;

/** On disk before anybody may name it. */
async function commit(
  call: ModelCall,
  records: readonly AssistantRecord[],
): Promise<readonly AssistantRecord[]> {
  const { store, lease, uncommitted } = call.session;
  const kept = await store.append(lease, replyKey(call.attempt), records);
  for (const { uuid } of records) uncommitted.delete(uuid);
  return kept.filter(isReply);
}

function linkBehind(
  leaf: string,
  records: readonly AssistantRecord[],
  apiMs: number,
): AssistantRecord[] {
  const last = records.length - 1;
  return records.map((record, index) => ({
    ...record,
    parentUuid: index === 0 ? leaf : record.parentUuid,
    everloop: { ...record.everloop, ...(index === last && { apiMs }) },
  }));
}

const isReply = (record: TranscriptRecord): record is AssistantRecord =>
  record.type === 'assistant';
