import type { QueryInput } from '../workflows/interface';

/** What a rollover of a query hands on, in bytes of JSON. */
export interface CarriedBytes {
  readonly state: number;
  /** The whole input of the next run: State, counters, tally, limits. */
  readonly input: number;
}

/** null: the input carries nothing. */
export function carriedBytes(input: string): CarriedBytes | null {
  const { carry } = JSON.parse(input) as QueryInput;
  if (carry === null) return null;
  const state = Buffer.byteLength(JSON.stringify(carry.state));
  return { state, input: Buffer.byteLength(input) };
}
