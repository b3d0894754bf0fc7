import { createHash } from 'node:crypto';

/** SHA-256 of the JSON of what a call would run with, as its question in the store holds it; null: it is not
 *  there. 64 hex digits. */
export function inputDigest(input: unknown): string {
  return createHash('sha256').update(JSON.stringify(input)).digest('hex');
}

const SHOWN_DIGITS = 16;

/** What people compare. */
export const shortDigest = (input: unknown): string => inputDigest(input).slice(0, SHOWN_DIGITS);
