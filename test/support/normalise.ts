import type { TranscriptRecord } from '../../src/transcript/record';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** A conversation without what may differ between two runs of the same work: ids become their order of appearance,
 *  instants, durations and what names an attempt go. */
export function normalise(records: readonly TranscriptRecord[]): readonly unknown[] {
  const seen = new Map<string, string>();
  const numbered = (id: string): string => {
    const known = seen.get(id) ?? `id-${seen.size}`;
    seen.set(id, known);
    return known;
  };
  const leaveOut = (key: string, value: unknown): unknown =>
    key === 'timestamp' || key === 'everloop' ? undefined : value;
  return records.map((record) => {
    const text = JSON.stringify(record, leaveOut)
      .replace(UUID, numbered)
      .replace(/msg_scripted_\d+/g, numbered)
      .replace(/"durationMs":\d+/g, '"durationMs":0');
    return JSON.parse(text) as unknown;
  });
}
