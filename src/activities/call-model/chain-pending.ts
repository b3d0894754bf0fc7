import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/common';
import type { Context, Pending } from '../../loop/context';
import type { TranscriptRecord, UserRecord } from '../../transcript/record';
import type { SessionStore } from '../../transcript/store';
import { CUT_OFF_TOO_OFTEN, INTERRUPTED, LOST, NUDGE_OUTPUT_LIMIT } from '../injected-texts';
import { attachmentRecord, syntheticReply, userRecord, type RecordFacts } from '../new-record';
import type { Surroundings } from '../deps';
import { expandMessage } from './expand-message';

/** What became of the pending part of a context. */
export interface Chained {
  /** New records, linked behind the leaf, not yet written. */
  readonly records: readonly TranscriptRecord[];
  /** Those of them that observers were not told of by anybody else. */
  readonly untold: readonly TranscriptRecord[];
}

/** Turns what is pending into records behind the leaf, in order. */
export async function chainPending(
  store: SessionStore,
  context: Context,
  base: RecordFacts,
  surroundings: Surroundings,
): Promise<Chained> {
  const records: TranscriptRecord[] = [];
  const untold: TranscriptRecord[] = [];
  let parentUuid = context.leaf;
  for (const pending of context.pending) {
    const made = await recordsFor(store, pending, base, surroundings);
    for (const record of made.records) {
      const linked = { ...record, parentUuid };
      parentUuid = linked.uuid;
      records.push(linked);
      if (!made.isTold) untold.push(linked);
    }
  }
  return { records, untold };
}

interface Made {
  readonly records: readonly TranscriptRecord[];
  /** The observers know them already. */
  readonly isTold: boolean;
}

async function recordsFor(
  store: SessionStore,
  pending: Pending,
  base: RecordFacts,
  surroundings: Surroundings,
): Promise<Made> {
  switch (pending.type) {
    case 'message': {
      const message = await store.findMessage(pending.messageId);
      if (message === undefined) {
        throw ApplicationFailure.nonRetryable(
          `Message ${pending.messageId} is not in the store. It was submitted to another store, or deleted.`,
          'Session.MessageMissing',
        );
      }
      const isSteering = pending.steering === true;
      const records = await expandMessage({ message, isSteering, facts: base, surroundings });
      return { records, isTold: false };
    }
    case 'tool_result': {
      const entry = await store.ledger.find(pending.toolUse);
      if (entry?.result !== undefined) return { records: [entry.result.record], isTold: true };
      const text = LOST[pending.lost ?? 'tool_failed'];
      return { records: [lostResult(pending.toolUse.id, text, base)], isTold: false };
    }
    case 'nudge':
      return { records: [attachmentRecord(base, 'nudge', NUDGE_OUTPUT_LIMIT)], isTold: false };
    case 'interruption':
      return {
        records: [userRecord(base, [{ type: 'text', text: INTERRUPTED[pending.during] }])],
        isTold: false,
      };
    case 'api_error':
      return {
        records: [syntheticReply(base, { text: CUT_OFF_TOO_OFTEN, error: 'max_output_tokens' })],
        isTold: false,
      };
  }
}

function lostResult(toolUseId: string, text: string, base: RecordFacts): UserRecord {
  const result = {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: text,
    is_error: true,
  } as const;
  return { ...userRecord(base, [result]), uuid: randomUUID(), toolUseResult: `Error: ${text}` };
}
