import { disk } from '../../disk/disk';
import type { Collected } from '../collection';
import { unlessMissing } from './disk-error';
import { readLines } from './line-reader';
import type { Fence } from './lease-folder';
import { replaceContent } from './take-over';

/** Who may rewrite; null: it is only looked what would go. */
export type Rewriter = { readonly epoch: number; readonly fence: Fence } | null;

/** Removes lines from a file of lines, which gets a new inode. `toLine`: the line as it stays; null: it goes.
 *  Fails: StoreError `lease_stale` with the file as it was. */
export async function rewriteLines(
  path: string,
  toLine: (text: string) => string | null,
  rewriter: Rewriter,
): Promise<Collected> {
  const kept: string[] = [];
  let [items, bytes] = [0, 0];
  for await (const lines of linesOf(path)) {
    for (const { text, start, end } of lines) {
      const line = toLine(text);
      if (line !== null) kept.push(`${line}\n`);
      else [items, bytes] = [items + 1, bytes + end - start];
    }
  }
  if (rewriter !== null && items > 0) {
    await replaceContent(path, Buffer.from(kept.join('')), rewriter);
  }
  return { items, bytes };
}

/** No lines: there is no such file. */
export async function* linesOf(path: string): ReturnType<typeof readLines> {
  if ((await unlessMissing(disk.stat(path))) !== undefined) yield* readLines(path);
}
