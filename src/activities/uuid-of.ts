import { createHash } from 'node:crypto';

/** The same uuid for the same words: what every attempt of an Activity gives to what it makes. */
export function uuidOf(words: string): string {
  const hex = createHash('sha256').update(words).digest('hex');
  const starts = [0, 8, 12, 16, 20, 32];
  return starts
    .slice(0, -1)
    .map((start, index) => hex.slice(start, starts[index + 1]))
    .join('-');
}
