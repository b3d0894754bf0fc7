import { EMPTY_CONTEXT } from '../loop/context';
import type { InboxMessage } from './message';
import type { SessionStore } from './store';

/** uuid of the record that the next message goes behind; null: the conversation is empty. */
export async function currentLeaf(session: SessionStore): Promise<string | null> {
  const end = await session.lastLeaf();
  const rewind = await session.findRewind();
  return rewind?.end === end ? rewind.leaf : end;
}

/** The message, placed where a rewind wants it. Those that come after it follow it. Safe to repeat. */
export async function placeMessage(
  session: SessionStore,
  message: InboxMessage,
): Promise<InboxMessage> {
  if (message.behind !== undefined) return message;
  const rewind = await session.findRewind();
  if (rewind === undefined) return message;
  const placed = { ...message, behind: rewind.leaf ?? EMPTY_CONTEXT };
  if (rewind.usedBy === message.id) return placed;
  if (rewind.usedBy !== null || rewind.end !== (await session.lastLeaf())) return message;
  await session.putRewind({ ...rewind, usedBy: message.id });
  return placed;
}
