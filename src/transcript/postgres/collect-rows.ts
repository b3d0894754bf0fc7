import {
  addCollected,
  neededContents,
  NOTHING_COLLECTED,
  OldQueries,
  type Collected,
  type CollectedKind,
} from '../collection';
import type { LedgerEvent } from '../file-history';
import type { TranscriptRecord } from '../record';
import type { CollectRequest, Lease } from '../store';
import type { Database } from './database';
import { fenceOf, type Leases } from './leases';
import type { LedgerEnd, PostgresLedger } from './postgres-ledger';
import type { PostgresLog } from './postgres-log';

interface Collectable {
  readonly sessionId: string;
  readonly database: Database;
  readonly leases: Leases;
  readonly ledger: PostgresLedger;
  readonly log: PostgresLog;
}

/** Rows of one table that are to go. `where`: with the number of its one parameter. */
interface OldRows {
  readonly table: string;
  /** What their weight is counted by. */
  readonly column: string;
  readonly where: (parameter: string) => string;
  readonly value: unknown;
}

/** Removes what is old from the rows of a session, or looks what would go (without a lease). */
export async function collectRows(
  of: Collectable,
  { lease, kinds, before }: CollectRequest,
): Promise<Readonly<Record<CollectedKind, Collected>>> {
  const collect = (rows: OldRows): Promise<Collected> => collectTable(of, lease, rows);
  const collected = {
    ledger: NOTHING_COLLECTED,
    log: NOTHING_COLLECTED,
    checkpoints: NOTHING_COLLECTED,
  };
  // First: it reads the ledger.
  if (kinds.includes('checkpoints')) {
    collected.checkpoints = await collect(unneeded(await neededOf(of, before)));
  }
  if (kinds.includes('ledger')) collected.ledger = await collect(await oldCalls(of, before));
  if (kinds.includes('log')) {
    const streams = await collect(oldDeltas(of, before));
    collected.log = addCollected(streams, await collect(await oldEntries(of, before)));
  }
  return collected;
}

async function collectTable(
  { sessionId, database, leases }: Collectable,
  lease: Lease | null,
  { table, column, where, value }: OldRows,
): Promise<Collected> {
  const { schema } = database;
  const [found] = await database.query<{ items: string; bytes: string }>(
    'look for what is old in',
    `SELECT count(*) AS items, coalesce(sum(octet_length(${column})), 0) AS bytes
     FROM ${schema}.${table} WHERE session = $1 AND ${where('$2')}`,
    [sessionId, value],
  );
  const collected = { items: Number(found?.items ?? 0), bytes: Number(found?.bytes ?? 0) };
  if (lease === null || collected.items === 0) return collected;
  const [outcome] = await database.query<{ fenced: boolean }>(
    'collect from',
    `WITH ${fenceOf(schema)}, gone AS (
       DELETE FROM ${schema}.${table}
       WHERE session = $1 AND EXISTS (SELECT 1 FROM fence) AND ${where('$4')}
     )
     SELECT NOT EXISTS (SELECT 1 FROM fence) AS fenced`,
    [sessionId, lease.epoch, lease.owner.workerId, value],
  );
  if (outcome?.fenced !== false) throw leases.stale(lease);
  return collected;
}

const unneeded = (needed: readonly string[]): OldRows => ({
  table: 'kept',
  column: 'bytes',
  where: (parameter) => `NOT digest = ANY(${parameter}::text[])`,
  value: needed,
});

/** Names of contents, as they are kept. */
async function neededOf(of: Collectable, before: string): Promise<readonly string[]> {
  const { bodies } = of.database;
  const events = await of.ledger.events();
  const old = await oldRecords(of, events.flatMap(recordIdOf), before);
  return [...neededContents(events, (uuid) => old.has(uuid))].flatMap((digest) =>
    bodies.namesOf(digest),
  );
}

function recordIdOf(event: LedgerEvent): readonly string[] {
  switch (event.type) {
    case 'change':
      return [event.call.recordId];
    case 'found':
      return [event.found.at];
    case 'intent':
    case 'result':
      return [];
  }
}

async function oldRecords(
  { sessionId, database }: Collectable,
  uuids: readonly string[],
  before: string,
): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ uuid: string; body: string }>(
    'look for what is old in',
    `SELECT uuid, body FROM ${database.schema}.records WHERE session = $1 AND uuid = ANY($2::text[])`,
    [sessionId, [...new Set(uuids)]],
  );
  const old = rows.filter(({ uuid, body }) => {
    const text = database.bodies.open(body, ['records', sessionId, uuid]);
    return (JSON.parse(text) as Pick<TranscriptRecord, 'timestamp'>).timestamp < before;
  });
  return new Set(old.map(({ uuid }) => uuid));
}

/** Of calls whose result is old and a part of the conversation, and old failures. */
async function oldCalls(of: Collectable, before: string): Promise<OldRows> {
  const ends: LedgerEnd[] = [];
  for await (const end of of.ledger.ends()) if (end.at < before) ends.push(end);
  const chained = await chainedOf(of, ends);
  return {
    table: 'ledger',
    column: 'body',
    where: (parameter) => `name = ANY(${parameter}::text[])`,
    value: ends
      .filter(({ recordId }) => recordId === null || chained.has(recordId))
      .flatMap(({ names }) => names),
  };
}

/** Uuids of those records that the conversation has. */
async function chainedOf(
  { sessionId, database }: Collectable,
  ends: readonly LedgerEnd[],
): Promise<ReadonlySet<string>> {
  const rows = await database.query<{ uuid: string }>(
    'look for what is old in',
    `SELECT uuid FROM ${database.schema}.records WHERE session = $1 AND uuid = ANY($2::text[])`,
    [sessionId, ends.flatMap(({ recordId }) => recordId ?? [])],
  );
  return new Set(rows.map(({ uuid }) => uuid));
}

async function oldEntries({ log }: Collectable, before: string): Promise<OldRows> {
  const old = await OldQueries.in(log.read(), before);
  const numbers: number[] = [];
  for await (const { number, ...followed } of log.numbered()) {
    if (old.has(followed)) numbers.push(number);
  }
  return {
    table: 'log',
    column: 'body',
    where: (parameter) => `seq = ANY(${parameter}::integer[])`,
    value: numbers,
  };
}

/** Of streams that nobody writes: the session is closed. */
const oldDeltas = ({ database }: Collectable, before: string): OldRows => ({
  table: 'deltas',
  column: 'body',
  where: (parameter) => `stream IN (
    SELECT name FROM ${database.schema}.streams
    WHERE session = $1 AND (ended_at IS NULL OR ended_at < ${parameter}::timestamptz))`,
  value: before,
});
