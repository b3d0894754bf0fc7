import { isDeepStrictEqual } from 'node:util';
import { UNKNOWN_OUTCOME } from '../../src/activities/run-tool/tool-run';
import type { TranscriptRecord } from '../../src/transcript/record';

/** What was said and done, a line for each block: `user: …`, `model: …`, `call Bash`, `result: unknown`. */
export function outlineOf(records: readonly TranscriptRecord[]): readonly string[] {
  return records.flatMap((record) => {
    if (record.type !== 'user' && record.type !== 'assistant') return [];
    const who = record.type === 'user' ? 'user' : 'model';
    const { content } = record.message;
    if (typeof content === 'string') return [`${who}: ${content}`];
    return content.flatMap((block): string[] => {
      if (block.type === 'text') return [`${who}: ${block.text}`];
      if (block.type === 'tool_use') return [`call ${block.name}`];
      return block.type === 'tool_result' ? [`result: ${toResult(block.content)}`] : [];
    });
  });
}

function toResult(content: unknown): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return text.startsWith(UNKNOWN_OUTCOME) ? 'unknown' : text.trim();
}

/** Fails: Error that shows both. */
export function requireOutline(seen: readonly string[], expected: readonly string[]): void {
  if (isDeepStrictEqual(seen, expected)) return;
  throw new Error(
    `The transcript is not whole: ${JSON.stringify(seen)} instead of ${JSON.stringify(expected)}`,
  );
}
