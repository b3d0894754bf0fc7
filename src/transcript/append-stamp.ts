import type { TranscriptRecord } from './record';

/** The records of one append, each with its key and its place in it. */
export function stamp(
  key: string,
  records: readonly TranscriptRecord[],
): readonly TranscriptRecord[] {
  return records.map((record, index) => ({
    ...record,
    everloop: { ...record.everloop, key, batch: { index, of: records.length } },
  }));
}
