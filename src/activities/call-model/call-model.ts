import { ApplicationFailure } from '@temporalio/common';
import type { ModelOutcome } from '../../loop/deps';
import { fromQueryWorkflowId } from '../../loop/workflow-id';
import type { AssistantRecord } from '../../transcript/record';
import { StoreError } from '../../transcript/store-error';
import type { Attempt } from '../attempt';
import type { ActivityDeps } from '../deps';
import type { CallModelInput } from '../interface';
import type { RecordFacts } from '../new-record';
import type { ServedSession } from '../served-sessions';
import { offeredTools } from '../tool-catalog';
import { afterFailure } from './after-failure';
import { fittingOutputTokens, toApiFailure } from './api-failure';
import { toApiMessages } from './api-messages';
import { chainInput } from './chain-input';
import { adoptReply, commitReply } from './commit-reply';
import { interruptedOf, replyOf } from './outcome';
import { toRequest, withOutputTokens } from './request';
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

  const adopted = await adoptReply(call, tools);
  if (adopted !== null) return adopted;
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
  const { attempt, deps, input } = call;
  const startedAtMs = deps.now().getTime();
  const id = newStreamId(attempt, stream);
  try {
    const { kept, cutOff } = await streamToLog({
      ...asked,
      stream: id,
      commit: (records) =>
        commitReply(call, linkBehind(requestLeaf, records, deps.now().getTime() - startedAtMs)),
    });
    if (cutOff) return interruptedOf(kept, { tools, stream: id, requestLeaf });
    return replyOf(kept, tools, input, { requestLeaf, stream: id });
  } catch (error) {
    const isOver = attempt.over.aborted || attempt.forgotten.aborted;
    if (isOver || error instanceof StoreError) throw error;
    if (attempt.stop.aborted) return interruptedOf([], { tools, stream: id, requestLeaf });
    const failure = toApiFailure(error);
    const maxTokens = fittingOutputTokens(failure);
    if (maxTokens !== null && maxTokens < request.max_tokens) {
      return askModel({ ...asked, request: withOutputTokens(request, maxTokens) }, stream + 1);
    }
    return afterFailure(call, failure, asked);
  }
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
