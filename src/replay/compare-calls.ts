import type { RecordedCall } from './recorded-session';
import { callKey } from './recorded-tools';

/** `same`: it was made in the recorded session, too. `no_result`: it was not. `not_made`: it was made there alone. */
export interface ComparedCall {
  readonly type: 'same' | 'no_result' | 'not_made';
  readonly name: string;
  readonly input: unknown;
}

/** The calls of the replay in their order, then those that it did not make. */
export function compareCalls(
  recorded: readonly RecordedCall[],
  replayed: readonly RecordedCall[],
): readonly ComparedCall[] {
  const left = [...recorded];
  const known = new Set(recorded.map(callKey));
  const made = replayed.map(({ name, input }): ComparedCall => {
    const key = callKey({ name, input });
    const index = left.findIndex((call) => callKey(call) === key);
    if (index >= 0) left.splice(index, 1);
    return { type: known.has(key) ? 'same' : 'no_result', name, input };
  });
  const missing = left.map(({ name, input }): ComparedCall => ({ type: 'not_made', name, input }));
  return [...made, ...missing];
}
