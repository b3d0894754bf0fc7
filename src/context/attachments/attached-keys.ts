import type { TranscriptRecord, TurnAttachmentType } from '../../transcript/record';

/** What a source has attached in this context. */
export function attachedKeys(
  chain: readonly TranscriptRecord[],
  source: TurnAttachmentType,
): ReadonlySet<string> {
  const marks = chain.flatMap(({ everloop }) => everloop?.attached ?? []);
  return new Set(marks.filter((mark) => mark.source === source).flatMap(({ keys }) => keys));
}
