import { ApplicationFailure } from '@temporalio/common';
import type { ApiErrorKind, ModelOutcome } from '../../loop/outcomes';
import { DEFAULT_GATES } from '../../loop/gates';
import type { AssistantRecord } from '../../transcript/record';
import { syntheticReply } from '../new-record';
import { retryDelayMs, textOfFailure, type ApiFailure } from './api-failure';
import type { AskedRequest } from './ask-model';
import type { ModelCall } from './call-model';
import { commitReply } from './commit-reply';
import { fallbackAfter } from './fallback-model';
import { pauseOthers } from './provider-pause';
import { replyOf, withheldAs, withheldReply } from './outcome';

/** What becomes of a request that failed: another model, a retry, an error that a recovery may cure, or the error
 *  as the reply. API failures are counted in the ledger: lost Workers use up none.
 *  Fails: `ModelCall.Retry` (retryable, with the delay of spec/loop 4.9) until the retries are used up. */
export async function afterFailure(
  { call, request, requestLeaf, tools }: AskedRequest,
  failure: ApiFailure,
  askAnother: (model: string) => Promise<ModelOutcome>,
): Promise<ModelOutcome> {
  const { deps, attempt, session, facts, queryId, options } = call;
  const { store, lease } = session;
  deps.counts?.requestFailed(failure.kind);
  const gates = options.gates ?? DEFAULT_GATES;
  const withheld = withheldAs(failure.kind, gates);
  if (withheld !== null) return withheldReply(call, requestLeaf, withheld);

  const earlier = await store.ledger.failures(attempt.key);
  const failed = { status: failure.status, error: failure.kind, at: facts.timestamp };
  const fallback = fallbackAfter(call, [...earlier, failed]);
  if (fallback !== null && fallback !== request.model) {
    await store.ledger.recordFailure(lease, attempt.key, failed);
    const text = `${request.model} is overloaded. ${fallback} takes over.`;
    await store.log.append(lease, [{ type: 'notice', queryId, level: 'warning', text }]);
    return askAnother(fallback);
  }
  const allowed = { never: 0, once: 1, with_backoff: deps.maxRetries }[failure.retry];
  if (earlier.length < Math.min(allowed, deps.maxRetries)) {
    throw await retryLater(call, failure, earlier.length + 1);
  }
  const { kind } = failure;
  const record: AssistantRecord = {
    ...syntheticReply(facts, { text: textOfFailure(failure), error: toldKind(kind) }),
    parentUuid: requestLeaf,
    everloop: { apiError: kind },
  };
  const kept = await commitReply(call, [record]);
  await store.log.append(lease, [{ type: 'record', queryId, record }]);
  return replyOf(kept, tools, call, { requestLeaf, stream: '', model: request.model });
}

async function retryLater(
  { deps, attempt, session, facts, queryId }: ModelCall,
  failure: ApiFailure,
  number: number,
): Promise<ApplicationFailure> {
  const { store, lease } = session;
  const { status, kind: error, message } = failure;
  const { maxRetries } = deps;
  const delayMs = retryDelayMs(failure, number, deps.random());
  await store.ledger.recordFailure(lease, attempt.key, { status, error, at: facts.timestamp });
  await pauseOthers(deps, failure, delayMs);
  // A connection that broke is repeated in silence (spec/loop 4.7).
  if (status !== null) {
    await store.log.append(lease, [
      { type: 'api_retry', queryId, attempt: number, maxRetries, delayMs, status, error },
    ]);
  }
  return ApplicationFailure.create({
    type: 'ModelCall.Retry',
    message: `Model call failed (${status ?? 'connection'}): ${message}`.slice(0, 200),
    nextRetryDelay: delayMs,
    category: 'BENIGN',
  });
}

/** What clients are told: their list has no name for some of our kinds. */
function toldKind(kind: ApiErrorKind): string {
  switch (kind) {
    case 'prompt_too_long':
    case 'media_size':
      return 'invalid_request';
    case 'overloaded':
      return 'server_error';
    case 'authentication_failed':
    case 'billing_error':
    case 'rate_limit':
    case 'invalid_request':
    case 'model_not_found':
    case 'server_error':
    case 'unknown':
      return kind;
  }
}
