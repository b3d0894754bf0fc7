import type { ApiFailure } from '../../transcript/store';
import type { ModelCall } from './call-model';

/** So many overloads in a row, and the fallback model takes over (spec/loop 4.8). */
const OVERLOADS = 3;

/** The model of this attempt: the fallback, if attempts before have found the first one overloaded. */
export async function modelToAsk(call: ModelCall): Promise<string> {
  const { session, attempt, input } = call;
  // Only a repeated attempt has failures behind it.
  if (attempt.number === 1) return input.model;
  return fallbackAfter(call, await session.store.ledger.failures(attempt.key)) ?? input.model;
}

/** null: it is not time for another model, or there is none. */
export function fallbackAfter(
  { options, input }: ModelCall,
  failures: readonly ApiFailure[],
): string | null {
  const fallback = options.fallbackModel ?? null;
  if (fallback === null || fallback === input.model) return null;
  const last = failures.slice(-OVERLOADS);
  const isOverloaded = last.length === OVERLOADS && last.every(({ status }) => status === 529);
  return isOverloaded ? fallback : null;
}
