import { createHash } from 'node:crypto';
import type { InboxMessage } from '../../transcript/message';
import type { EndedTurn } from '../interface';
import type { QueryCall } from '../query-call';

/** The last word that brought messages. With it they are safe: the queue they came from is empty now. */
interface KeptTurn {
  readonly key: string;
  readonly ended: EndedTurn;
  readonly messages: readonly InboxMessage[];
}

/** One for each query: it has one turn at a time. */
const nameFor = ({ queryId }: QueryCall): string =>
  `ended-turn-${createHash('sha256').update(queryId).digest('hex').slice(0, 12)}`;

/** Puts what hooks brought into the store. A word that brings nothing may be asked for again. */
export async function keepTurn(
  query: QueryCall,
  messages: readonly InboxMessage[],
  ended: EndedTurn,
): Promise<EndedTurn> {
  if (messages.length === 0) return ended;
  const { session, attempt } = query;
  const kept: KeptTurn = { key: attempt.key, ended, messages };
  await session.store.writeDocument(session.lease, nameFor(query), kept);
  return handOver(query, kept);
}

/** The word of the attempt before; null: there was none that brought messages. */
export async function adoptTurn(query: QueryCall): Promise<EndedTurn | null> {
  const { session, attempt } = query;
  if (attempt.number === 1) return null;
  const kept = (await session.store.readDocument(nameFor(query))) as KeptTurn | undefined;
  return kept?.key === attempt.key ? handOver(query, kept) : null;
}

/** That attempt may have died before all of them were messages of their own. */
async function handOver({ session }: QueryCall, { ended, messages }: KeptTurn): Promise<EndedTurn> {
  for (const message of messages) await session.store.putMessage(message);
  return ended;
}
