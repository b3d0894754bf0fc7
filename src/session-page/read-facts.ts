import type { Client } from '@temporalio/client';
import { withoutRepeats } from '../client/without-repeats';
import { costOf } from '../loop/price-table';
import type { OwnPrices } from '../prices/own-prices';
import type { TranscriptRecord } from '../transcript/record';
import type { SessionStore } from '../transcript/store';
import { wholeChain } from '../transcript/whole-chain';
import type { HistorySource, ReplyFacts, SessionFacts } from './facts';
import type { HistoryFacts } from './history-facts';
import { LoggedQueries } from './logged-queries';
import { readHistories } from './read-histories';
import { recordedEntries } from './recorded-entries';
import { withHistory } from './with-history';

export interface FactsWorld {
  /** Connects to the server, if there is something to ask it. Fails: Error that says why that cannot be done. */
  readonly connect: () => Promise<{ readonly client: Client; close(): Promise<void> }>;
  readonly prices: OwnPrices;
  readonly nowMs: number;
}

/** Everything that the store and the server know of a session. Without a server: what the store knows. */
export async function readFacts(store: SessionStore, world: FactsWorld): Promise<SessionFacts> {
  const findReply = async (leaf: string): Promise<ReplyFacts | undefined> =>
    replyOf(await store.findRecord(leaf), world.prices);
  const own = new LoggedQueries(findReply);
  const known = new Set<string>();
  let begunMs = Infinity;
  for await (const { at, entry } of withoutRepeats(store.log.read())) {
    const atMs = Date.parse(at);
    begunMs = Math.min(begunMs, atMs);
    if (entry.type === 'record') known.add(entry.record.uuid);
    await own.add(entry, atMs);
  }
  const foreign = new LoggedQueries(findReply);
  const before = (await chainOf(store)).filter(
    ({ uuid, timestamp }) => !known.has(uuid) && Date.parse(timestamp) < begunMs,
  );
  for (const { entry, atMs } of recordedEntries(before)) await foreign.add(entry, atMs);

  const { histories, source } = await historiesOf(own.queryIds, world);
  const queries = own.toFacts((id) =>
    histories.get(id)?.isRunning === true ? 'running' : 'unfinished',
  );
  const { sessionId, cwd, createdAt } = store.meta;
  return {
    sessionId,
    cwd,
    createdMs: Date.parse(createdAt),
    seenMs: world.nowMs,
    history: source,
    queries: [
      ...foreign.toFacts(() => 'recorded'),
      ...queries.map((query) => withHistory(query, histories)),
    ],
  };
}

async function chainOf(store: SessionStore): Promise<readonly TranscriptRecord[]> {
  const leaf = await store.lastLeaf();
  return leaf === null ? [] : wholeChain(store, leaf);
}

function replyOf(record: TranscriptRecord | undefined, prices: OwnPrices): ReplyFacts | undefined {
  if (record?.type !== 'assistant') return undefined;
  const { model, usage, stop_reason: stopReason } = record.message;
  const costUsd = prices.costOf(model, usage) ?? costOf(model, usage);
  return { model, usage, costUsd, stopReason };
}

interface Histories {
  readonly histories: ReadonlyMap<string, HistoryFacts>;
  readonly source: HistorySource;
}

async function historiesOf(queryIds: readonly string[], world: FactsWorld): Promise<Histories> {
  const nothing = new Map<string, HistoryFacts>();
  if (queryIds.length === 0) return { histories: nothing, source: { type: 'none' } };
  try {
    const connected = await world.connect();
    try {
      const histories = await readHistories(connected.client, queryIds);
      const missing = queryIds.length - histories.size;
      const of = queryIds.length;
      return { histories, source: missing > 0 ? { type: 'gone', missing, of } : { type: 'read' } };
    } finally {
      await connected.close();
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { histories: nothing, source: { type: 'away', reason } };
  }
}
