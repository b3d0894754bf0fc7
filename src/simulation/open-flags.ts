import { constants } from 'node:fs';

/** What the flags of `open` mean. */
export interface OpenFlags {
  readonly creates: boolean;
  readonly isExclusive: boolean;
  readonly truncates: boolean;
  readonly appends: boolean;
}

/** Flags as the product gives them: "r", "a+", "wx" …, or numbers. */
export function flagsOf(flags: string | number): OpenFlags {
  if (typeof flags === 'number') {
    const has = (flag: number) => (flags & flag) !== 0;
    return {
      creates: has(constants.O_CREAT),
      isExclusive: has(constants.O_EXCL),
      truncates: has(constants.O_TRUNC),
      appends: has(constants.O_APPEND),
    };
  }
  return {
    creates: !flags.startsWith('r'),
    isExclusive: flags.includes('x'),
    truncates: flags.startsWith('w') && !flags.includes('x'),
    appends: flags.startsWith('a'),
  };
}
