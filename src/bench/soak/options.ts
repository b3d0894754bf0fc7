import { parseArgs } from 'node:util';

export interface SoakOptions {
  readonly turns: number;
  /** Turns between two lines of figures. */
  readonly every: number;
  readonly json: string | null;
}

export const USAGE = 'npm run soak -- [--turns N] [--every N] [--json FILE]';

/** Fails: Error that names what cannot be used. */
export function parseSoakOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      turns: { type: 'string', default: '10000' },
      every: { type: 'string', default: '500' },
      json: { type: 'string' },
    },
  });
  return {
    turns: toCount('--turns', values.turns),
    every: toCount('--every', values.every),
    json: values.json ?? null,
  };
}

function toCount(option: string, text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count > 0) return count;
  throw new Error(`${option} ${text} must be a whole number from 1.`);
}
