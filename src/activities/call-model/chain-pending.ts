import { randomUUID } from 'node:crypto';
import type { Context, Pending } from '../../loop/context';
import type { InboxMessage } from '../../transcript/message';
import type { TranscriptRecord, UserRecord } from '../../transcript/record';
import type { SessionStore } from '../../transcript/store';
import type { Surroundings } from '../deps';
import { ERRORS, INTERRUPTED, LOST, nudgeText } from '../injected-texts';
import { attachmentRecord, syntheticReply, userRecord, type RecordFacts } from '../new-record';
import { messageMissing } from '../query-call';
import { expandMessage, type PromptHost } from './expand-message';

/** What became of the pending part of a context. */
export interface Chained {
  /** New records, linked behind the leaf, not yet written. */
  readonly records: readonly TranscriptRecord[];
  /** Those of them that observers were not told of by anybody else. */
  readonly untold: readonly TranscriptRecord[];
}

/** What records are made from. `withHooks` lets hooks have their say about a prompt's records. */
export interface ChainMaker {
  readonly store: SessionStore;
  readonly facts: RecordFacts;
  readonly surroundings: Surroundings;
  /** What the query does for its prompt. */
  readonly host: PromptHost;
  withHooks?(
    message: InboxMessage,
    records: readonly TranscriptRecord[],
  ): Promise<readonly TranscriptRecord[]>;
}

/** Turns what is pending into records behind the leaf, in order. */
export async function chainPending(maker: ChainMaker, context: Context): Promise<Chained> {
  const made: Made[] = [];
  for (const pending of context.pending) made.push(await recordsFor(maker, pending));
  return linkBehind(context.leaf, made);
}

/** Chains more behind what is chained already. */
export function chainMore(
  { records, untold }: Chained,
  leaf: string | null,
  more: readonly TranscriptRecord[],
): Chained {
  const linked = linkBehind(records.at(-1)?.uuid ?? leaf, [{ records: more, isTold: false }]);
  return {
    records: [...records, ...linked.records],
    untold: [...untold, ...linked.untold],
  };
}

interface Made {
  readonly records: readonly TranscriptRecord[];
  /** The observers know them already. */
  readonly isTold: boolean;
}

function linkBehind(leaf: string | null, made: readonly Made[]): Chained {
  const records: TranscriptRecord[] = [];
  const untold: TranscriptRecord[] = [];
  let parentUuid = leaf;
  for (const { records: more, isTold } of made) {
    for (const record of more) {
      const linked = { ...record, parentUuid };
      parentUuid = linked.uuid;
      records.push(linked);
      if (!isTold) untold.push(linked);
    }
  }
  return { records, untold };
}

async function recordsFor(maker: ChainMaker, pending: Pending): Promise<Made> {
  const { store, facts, surroundings, host } = maker;
  const untold = (...records: readonly TranscriptRecord[]): Made => ({ records, isTold: false });
  switch (pending.type) {
    case 'message': {
      const message = await store.findMessage(pending.messageId);
      if (message === undefined) throw messageMissing(pending.messageId);
      const isSteering = pending.steering === true;
      const records = await expandMessage({ message, isSteering, facts, surroundings, host });
      // Hooks of the prompt are for what users write.
      const isPrompt = !isSteering && message.origin !== 'agent';
      if (!isPrompt || maker.withHooks === undefined) return untold(...records);
      return untold(...(await maker.withHooks(message, records)));
    }
    case 'tool_result': {
      const entry = await store.ledger.find(pending.toolUse);
      const found = entry?.result;
      if (found === undefined) {
        const { toolUse, lost = 'tool_failed' } = pending;
        // At the money limit the result of the query is the next thing that clients hear.
        const isTold = lost === 'budget_exhausted';
        return { records: [lostResult(toolUse.id, LOST[lost], facts)], isTold };
      }
      return { records: [found.record, ...(found.notes ?? [])], isTold: true };
    }
    case 'nudge':
      return untold(attachmentRecord(facts, 'nudge', nudgeText(pending.nudge, pending.percent)));
    case 'interruption':
      return untold(userRecord(facts, [{ type: 'text', text: INTERRUPTED[pending.during] }]));
    case 'api_error':
      return untold(syntheticReply(facts, ERRORS[pending.error]));
  }
}

function lostResult(toolUseId: string, text: string, facts: RecordFacts): UserRecord {
  const result = {
    type: 'tool_result',
    tool_use_id: toolUseId,
    content: text,
    is_error: true,
  } as const;
  return { ...userRecord(facts, [result]), uuid: randomUUID(), toolUseResult: `Error: ${text}` };
}
