import type { RecordBatch, TranscriptRecord } from '../record';

/** One line of a transcript as far as readers need it. Claude Code writes more kinds of lines than we do:
 *  some are links of the chain (attachments), some have no uuid (titles, tags, queue operations). */
export interface TranscriptLine {
  /** null: not part of any chain. */
  readonly uuid: string | null;
  readonly parentUuid: string | null;
  /** null: of a type that is not a record of ours. */
  readonly record: TranscriptRecord | null;
  /** The append that wrote it; null: not written by everloop. */
  readonly append: { readonly key: string; readonly batch: RecordBatch } | null;
}

/** undefined: not a JSON object. Looks at no more than readers rely on: a transcript of 1,000 turns opens in
 *  well under 150 ms, which a schema for every content block would not allow. */
export function fromTranscriptText(text: string): TranscriptLine | undefined {
  const json = parseObject(text);
  if (json === undefined) return undefined;
  return {
    uuid: typeof json['uuid'] === 'string' ? json['uuid'] : null,
    parentUuid: typeof json['parentUuid'] === 'string' ? json['parentUuid'] : null,
    record: fromJson(json),
    append: appendOf(json),
  };
}

export function isBoundary(record: TranscriptRecord | null): boolean {
  return record?.type === 'system' && record.subtype === 'compact_boundary';
}

type Json = Record<string, unknown>;

function fromJson(json: Json): TranscriptRecord | null {
  if (typeof json['uuid'] !== 'string') return null;
  return isKnown(json) ? (json as unknown as TranscriptRecord) : null;
}

function isKnown({ type, message, attachment }: Json): boolean {
  switch (type) {
    case 'user':
    case 'assistant':
      return isObject(message);
    case 'system':
      return true;
    case 'attachment':
      // Claude Code keeps what an attachment was made of, we keep what the model was sent.
      return isObject(attachment) && Array.isArray(attachment['content']);
  }
  return false;
}

function appendOf(json: Json): TranscriptLine['append'] {
  const extras = json['everloop'];
  if (!isObject(extras) || typeof extras['key'] !== 'string') return null;
  const batch = extras['batch'];
  if (!isObject(batch)) return null;
  const { index, of } = batch;
  if (typeof index !== 'number' || typeof of !== 'number') return null;
  return { key: extras['key'], batch: { index, of } };
}

function parseObject(text: string): Json | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isObject(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
