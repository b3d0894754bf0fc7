import { createHash } from 'node:crypto';

/** What every process of a command inherits, so that those are found that left its group and lost their parent. */
export interface TreeMark {
  /** "NAME=value" in the environment. Gone in what `env -i` starts. */
  readonly environmentLine: string;
  /** Soft limit of file locks, in decimal. Linux keeps and inherits this limit and has not enforced it since 2.4,
   *  so it marks a process whatever becomes of environment, files and session. null: it was not set. */
  readonly lockLimit: string | null;
}

export function markOf(callFolder: string): TreeMark & { readonly lockLimit: string } {
  const digest = createHash('sha256').update(callFolder).digest('hex');
  const number = (1n << 48n) + BigInt(`0x${digest.slice(0, 12)}`);
  return { environmentLine: `EVERLOOP_CALL=${digest.slice(0, 32)}`, lockLimit: String(number) };
}
