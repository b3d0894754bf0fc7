import type { MessageCreateParamsStreaming } from '@anthropic-ai/sdk/resources/messages';
import type { ModelOutcome } from '../../loop/outcomes';
import type { Tool } from '../../tools/tool';
import type { AssistantRecord } from '../../transcript/record';
import { StoreError } from '../../transcript/store-error';
import { toApiTool } from '../tool-catalog';
import { afterFailure } from './after-failure';
import { fittingOutputTokens, isServerToolRefused, toApiFailure } from './api-failure';
import type { ModelCall } from './call-model';
import { commitReply } from './commit-reply';
import { forModel } from './fallback-model';
import { interruptedOf, replyOf } from './outcome';
import { withOutputTokens } from './request';
import { BrokenStream, newStreamId, type Delivery } from './stream-reply';
import { streamToLog } from './stream-to-log';

/** A request on its way. */
export interface AskedRequest {
  readonly call: ModelCall;
  readonly request: MessageCreateParamsStreaming;
  readonly tools: readonly Tool[];
  readonly requestLeaf: string;
}

/** Sends the request and commits the reply. `stream` counts the tries of this attempt: what an earlier one told is
 *  taken back. */
export async function askModel(
  asked: AskedRequest,
  stream = 0,
  delivery: Delivery = 'stream',
): Promise<ModelOutcome> {
  const { call, request, tools, requestLeaf } = asked;
  const { attempt, deps, options } = call;
  const startedAtMs = deps.now().getTime();
  const id = newStreamId(attempt, stream);
  try {
    const { kept, cutOff } = await streamToLog({
      ...asked,
      stream: id,
      delivery,
      commit: (records) =>
        commitReply(call, linkBehind(requestLeaf, records, deps.now().getTime() - startedAtMs)),
    });
    if (cutOff) return interruptedOf(kept, { tools, options, stream: id, requestLeaf });
    return replyOf(kept, tools, call, { requestLeaf, stream: id, model: request.model });
  } catch (error) {
    const isOver = attempt.over.aborted || attempt.forgotten.aborted;
    if (isOver || error instanceof StoreError) throw error;
    if (attempt.stop.aborted) return interruptedOf([], { tools, options, stream: id, requestLeaf });
    if (error instanceof BrokenStream) return askModel(asked, stream + 1, 'whole');
    const failure = toApiFailure(error);
    const maxTokens = fittingOutputTokens(failure);
    if (maxTokens !== null && maxTokens < request.max_tokens) {
      const smaller = { ...asked, request: withOutputTokens(request, maxTokens) };
      return askModel(smaller, stream + 1, delivery);
    }
    if (isServerToolRefused(failure) && tools.some(({ serverTool }) => serverTool)) {
      call.session.refusesServerTools = true;
      return askModel(withoutServerTools(asked), stream + 1, delivery);
    }
    return afterFailure(asked, failure, (model) =>
      askModel({ ...asked, request: forModel(request, model) }, stream + 1),
    );
  }
}

/** What the API does not offer costs the tool, not the turn. */
function withoutServerTools(asked: AskedRequest): AskedRequest {
  const tools = asked.tools.filter(({ serverTool }) => serverTool === undefined);
  return { ...asked, tools, request: { ...asked.request, tools: tools.map(toApiTool) } };
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
