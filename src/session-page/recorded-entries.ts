import { isPrompt } from '../transcript/prompt-record';
import type { TranscriptRecord } from '../transcript/record';
import type { LogEntry } from '../transcript/session-log';

interface Dated {
  readonly atMs: number;
  readonly entry: LogEntry;
}

/** A conversation that another program has recorded, as a session log would have told it: each prompt is a query, each
 *  reply a turn. When things began is not on record: a reply did when what it answers was there, and so did a call. */
export function recordedEntries(chain: readonly TranscriptRecord[]): readonly Dated[] {
  const told: Dated[] = [];
  let queryId: string | null = null;
  let reply = noReply();
  let turn = 0;
  let beforeMs = 0;
  for (const record of chain) {
    const atMs = Date.parse(record.timestamp);
    if (record.type === 'user' && isPrompt(record)) {
      queryId = record.uuid;
      turn = 0;
      reply = noReply();
    }
    if (queryId === null) continue;
    if (record.type === 'assistant' && record.isApiErrorMessage !== true) {
      const stream = record.message.id;
      if (reply.stream !== stream) {
        turn += 1;
        reply = { stream, endMs: atMs, isWhole: false };
        const started = { type: 'stream_started', queryId, stream, turn, live: '' } as const;
        told.push({ atMs: beforeMs, entry: started });
      }
      told.push({ atMs, entry: { type: 'record', queryId, record, stream } });
      // Records of one reply may stand among the results of its first calls.
      if (!reply.isWhole) reply.endMs = atMs;
      const committed = { type: 'stream_committed', queryId, stream, leaf: record.uuid } as const;
      told.push({ atMs: reply.endMs, entry: committed });
    } else {
      told.push({ atMs, entry: { type: 'record', queryId, record } });
      reply.isWhole = true;
    }
    beforeMs = atMs;
  }
  return told;
}

interface Reply {
  readonly stream: string;
  endMs: number;
  /** A result came behind it. */
  isWhole: boolean;
}

const noReply = (): Reply => ({ stream: '', endMs: 0, isWhole: true });
