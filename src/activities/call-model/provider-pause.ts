import { ApplicationFailure } from '@temporalio/common';
import type { ActivityDeps } from '../deps';
import type { ApiFailure } from './api-failure';
import type { ModelCall } from './call-model';

/** Requests that come back together would be refused together. */
const LEAST_SPREAD_MS = 250;
const SPREAD = 0.25;
/** A shorter wait is not worth a word. */
const LEAST_TOLD_MS = 1_000;

/** Whoever was refused may be the first of many: a provider that has told one Worker to wait is not asked by the others
 *  either. The request is tried again after the pause, spread over a quarter of it; that is no failure of its own.
 *  Fails: `ModelCall.Paused` (retryable, with the delay). */
export async function requireNoPause(call: ModelCall): Promise<void> {
  const { deps, session, queryId } = call;
  const remainingMs = (await deps.pauses?.remainingMs()) ?? 0;
  if (remainingMs <= 0) return;
  const spreadMs = Math.max(LEAST_SPREAD_MS, remainingMs * SPREAD) * deps.random();
  const delayMs = Math.ceil(remainingMs + spreadMs);
  const text = `The provider has asked for a pause. This request waits ${(delayMs / 1_000).toFixed(1)} s.`;
  if (delayMs >= LEAST_TOLD_MS) {
    await session.store.log.append(session.lease, [
      { type: 'notice', queryId, level: 'info', text },
    ]);
  }
  throw ApplicationFailure.create({
    type: 'ModelCall.Paused',
    message: text,
    nextRetryDelay: delayMs,
    category: 'BENIGN',
  });
}

/** Tells the others: of a limit that is theirs as well. `delayMs`: how long this request waits itself. */
export async function pauseOthers(
  { pauses }: Pick<ActivityDeps, 'pauses'>,
  { kind }: Pick<ApiFailure, 'kind'>,
  delayMs: number,
): Promise<void> {
  if (kind === 'rate_limit' || kind === 'overloaded') await pauses?.pause(delayMs);
}
