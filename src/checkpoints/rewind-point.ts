import { isPrompt } from '../transcript/prompt-record';
import type { TranscriptRecord } from '../transcript/record';
import { currentLeaf } from '../transcript/rewound';
import type { SessionStore } from '../transcript/store';
import { wholeChain } from '../transcript/whole-chain';

/** A place in a conversation to go back to, or to fork at. */
export interface RewindPoint {
  /** uuid of the last record that stays; null: none does. */
  readonly leaf: string | null;
  /** uuids of all records that stay. */
  readonly kept: ReadonlySet<string>;
  /** Id of the message that is taken back first; null: the place is no message of a person. */
  readonly message: string | null;
  /** For people: "before message …", "after turn 3". */
  readonly name: string;
}

/** A place that is not in the conversation. `message` names the value and the cure. */
export class NoSuchPoint extends Error {
  override readonly name = 'NoSuchPoint';
}

const TURN = /^turn:(\d+)$/;

/** `turn:N`: behind the N-th turn, a reply with the results that it asked for; `turn:0`: the beginning. The uuid of a
 *  message of a person: before it, as if it had never been sent. Any other uuid: behind that record.
 *  Fails: NoSuchPoint. */
export async function findRewindPoint(session: SessionStore, place: string): Promise<RewindPoint> {
  const turn = TURN.exec(place)?.[1];
  return turn === undefined ? atRecord(session, place) : afterTurn(session, Number(turn));
}

/** As `findRewindPoint`; a message of a person stays with the conversation.
 *  Fails: NoSuchPoint. */
export async function findForkPoint(session: SessionStore, place: string): Promise<RewindPoint> {
  if (TURN.test(place)) return findRewindPoint(session, place);
  return behind(await chainTo(session, place), `behind ${place}`);
}

async function afterTurn(session: SessionStore, turn: number): Promise<RewindPoint> {
  const leaf = await currentLeaf(session);
  const chain = leaf === null ? [] : await wholeChain(session, leaf);
  const ends = endsOfTurns(chain);
  if (turn > ends.length) {
    throw new NoSuchPoint(
      `Session ${session.meta.sessionId} has no turn ${turn}: it has ${ends.length}. Give turn:0 to turn:${ends.length}, or the uuid of a message.`,
    );
  }
  const end = turn === 0 ? 0 : (ends[turn - 1] ?? 0) + 1;
  const name = turn === 0 ? 'at the beginning' : `after turn ${turn}`;
  return behind(chain.slice(0, end), name);
}

async function atRecord(session: SessionStore, uuid: string): Promise<RewindPoint> {
  const chain = await chainTo(session, uuid);
  const last = chain.at(-1);
  if (last === undefined || !isMessage(last)) return behind(chain, `behind ${uuid}`);
  const ownFiles = chain.slice(0, -1).findLastIndex((record) => !isMentioned(record)) + 1;
  return { ...behind(chain.slice(0, ownFiles), `before message ${uuid}`), message: uuid };
}

async function chainTo(session: SessionStore, uuid: string): Promise<readonly TranscriptRecord[]> {
  const record = await session.findRecord(uuid);
  if (record !== undefined && !record.isSidechain) return wholeChain(session, uuid);
  throw new NoSuchPoint(
    `Session ${session.meta.sessionId} has no message with uuid ${uuid}. Give turn:N, or the uuid of one of its messages.`,
  );
}

const isMessage = (record: TranscriptRecord): boolean =>
  isPrompt(record) || (record.type === 'system' && record.subtype === 'local_command');

/** A file that a message names stands before it. */
const isMentioned = (record: TranscriptRecord): boolean =>
  record.type === 'attachment' && record.attachment.type === 'file';

function behind(chain: readonly TranscriptRecord[], name: string): RewindPoint {
  const kept = new Set(chain.map(({ uuid }) => uuid));
  return { leaf: chain.at(-1)?.uuid ?? null, kept, message: null, name };
}

/** Index of the last record of each turn. What a compaction kept is there twice and counts once. */
export function endsOfTurns(chain: readonly TranscriptRecord[]): readonly number[] {
  const ends: number[] = [];
  let reply: string | null = null;
  for (const [index, record] of chain.entries()) {
    if (isReply(record)) {
      if (record.message.id !== reply) ends.push(index);
      reply = record.message.id;
      ends[ends.length - 1] = index;
    } else if (reply !== null && isOfTurn(record)) {
      ends[ends.length - 1] = index;
    } else {
      reply = null;
    }
  }
  return ends;
}

function isReply(
  record: TranscriptRecord,
): record is Extract<TranscriptRecord, { type: 'assistant' }> {
  const { type, everloop } = record;
  return type === 'assistant' && record.isApiErrorMessage !== true && everloop?.isKept !== true;
}

/** Results, and what hooks had to say about them. */
function isOfTurn(record: TranscriptRecord): boolean {
  if (record.type === 'attachment') return record.attachment.type === 'hook';
  if (record.type !== 'user' || typeof record.message.content === 'string') return false;
  return record.message.content.some(({ type }) => type === 'tool_result');
}
