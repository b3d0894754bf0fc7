import { randomUUID } from 'node:crypto';
import type { CompactCosts, CompactTrigger } from '../../loop/compaction';
import type { DecidedView, SystemRecord, TranscriptRecord } from '../../transcript/record';
import { systemRecord, userRecord, type RecordFacts } from '../new-record';
import { continuationText } from './summary-prompt';

export interface Compacted {
  readonly trigger: CompactTrigger;
  readonly summary: string;
  readonly costs: CompactCosts;
  /** Tokens that the context had, by the count that made it too large. */
  readonly preTokens: number;
  /** Of the last reply and its request. */
  readonly contextTokens: number;
  /** Where all of it can be read; null: nowhere. */
  readonly transcriptPath: string | null;
  /** End of the context that goes. */
  readonly leaf: string;
  /** Its newest messages, kept word for word. */
  readonly tail: readonly TranscriptRecord[];
  /** What was decided about the results in the tail. */
  readonly decided: DecidedView | null;
  /** What the model needs again: files, context of hooks. */
  readonly attached: readonly TranscriptRecord[];
}

/** The new beginning of a conversation, in order: boundary, summary, kept messages, attachments (spec/loop 3.7k).
 *  Nothing before the boundary is part of a context any more. */
export function compactedRecords(
  facts: RecordFacts,
  compacted: Compacted,
): readonly TranscriptRecord[] {
  const { trigger, tail, attached } = compacted;
  const summary = {
    ...userRecord(
      facts,
      continuationText({
        ...compacted,
        isAuto: trigger !== 'manual',
        keepsTail: tail.length > 0,
      }),
    ),
    isCompactSummary: true,
  };
  const records = [boundaryRecord(facts, compacted), summary, ...tail.map(copyOf), ...attached];
  return records.map((record, index) => ({
    ...record,
    parentUuid: records[index - 1]?.uuid ?? null,
  }));
}

function boundaryRecord(facts: RecordFacts, compacted: Compacted): SystemRecord {
  const { trigger, preTokens, contextTokens, costs, leaf, decided } = compacted;
  return {
    ...systemRecord(facts, 'compact_boundary'),
    content: 'Conversation compacted',
    level: 'info',
    logicalParentUuid: leaf,
    compactMetadata: { trigger: trigger === 'manual' ? 'manual' : 'auto', preTokens },
    everloop: {
      compaction: { trigger, contextTokens, costs },
      ...(decided !== null && { decided }),
    },
  };
}

/** A record is part of one chain only. What it cost counted a context that is gone. */
const copyOf = (record: TranscriptRecord): TranscriptRecord => ({
  ...record,
  uuid: randomUUID(),
  everloop: { ...record.everloop, isKept: true },
});
