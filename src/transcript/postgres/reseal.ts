import { EncryptionError } from '../../encryption/encryption-error';
import { StoreError } from '../store-error';
import { sealedWith } from './bodies';
import type { Database } from './database';
import { KeptBytes } from './kept-bytes';
import { placeOf, SEALED_TABLES, type SealedTable } from './sealed-tables';

/** What became of the rows that were not encrypted with the newest key. */
export interface Resealed {
  readonly rows: number;
  /** Why rows could not be read; they stay as they are. */
  readonly unreadable: readonly string[];
}

/** Of each statement. Records are tens of megabytes at most. */
const ROWS = 50;

/** Encrypts everything anew that needs an older key, or none, while sessions run. Each page is a transaction of its
 *  own: what was done stays done, and the next call goes on with the rest. A row that changes meanwhile is left to
 *  whoever changed it. `onRows`: is told of each page.
 *  Fails: StoreError when the server does. */
export async function reseal(
  database: Database,
  keyId: string,
  onRows: (rows: number) => void,
): Promise<Resealed> {
  const unreadable: string[] = [];
  let rows = 0;
  const done = (count: number): void => {
    rows += count;
    onRows(count);
  };
  for (const table of SEALED_TABLES) {
    await resealTable(database, { table, keyId }, { done, unreadable });
  }
  await resealKept(database, keyId, { done, unreadable });
  return { rows, unreadable };
}

interface Report {
  readonly done: (rows: number) => void;
  readonly unreadable: string[];
}

interface Row extends Readonly<Record<string, unknown>> {
  readonly ctid: string;
  readonly session: string;
  readonly body: string;
}

async function resealTable(
  database: Database,
  { table, keyId }: { readonly table: SealedTable; readonly keyId: string },
  { done, unreadable }: Report,
): Promise<void> {
  const { bodies, schema } = database;
  const name = `${schema}.${table.name}`;
  const order = ['session', ...table.order];
  const after = order.map((_column, index) => `$${index + 2}`).join(', ');
  for (let last: Row | undefined; ;) {
    const rows: readonly Row[] = await database.query<Row>(
      'read the contents of',
      `SELECT ctid::text AS ctid, * FROM ${name} WHERE NOT starts_with(body, $1)
       ${last === undefined ? '' : `AND (${order.join(', ')}) > (${after})`}
       ORDER BY ${order.join(', ')} LIMIT ${ROWS}`,
      [sealedWith(keyId), ...(last === undefined ? [] : valuesOf(last, order))],
    );
    const sealed = rows.flatMap((row) => {
      const place = placeOf(table, row);
      const clear = readable(() => bodies.open(row.body, place), unreadable);
      return clear === undefined ? [] : [{ ...row, anew: bodies.seal(clear, place) }];
    });
    const [written] = await database.query<{ count: number }>(
      'encrypt the contents of',
      `WITH written AS (
         UPDATE ${name} AS it SET body = new.anew
         FROM unnest($1::text[]::tid[], $2::text[], $3::text[], $4::text[])
           AS new (place, session, body, anew)
         WHERE it.ctid = new.place AND it.session = new.session AND it.body = new.body RETURNING 1
       )
       SELECT count(*)::int AS count FROM written`,
      [
        sealed.map(({ ctid }) => ctid),
        sealed.map(({ session }) => session),
        sealed.map(({ body }) => body),
        sealed.map(({ anew }) => anew),
      ],
    );
    done(written?.count ?? 0);
    last = rows.at(-1);
    if (last === undefined) return;
  }
}

const valuesOf = (row: Row, columns: readonly string[]): readonly unknown[] =>
  columns.map((column) => row[column]);

/** A version of a file goes by another name under another key: it is kept anew, then the old one goes. */
async function resealKept(
  database: Database,
  keyId: string,
  { done, unreadable }: Report,
): Promise<void> {
  const { schema } = database;
  const old = await database.query<{ session: string; digest: string }>(
    'read the contents of',
    `SELECT DISTINCT session, digest FROM ${schema}.kept WHERE NOT starts_with(digest, $1)`,
    [sealedWith(keyId)],
  );
  for (const { session, digest } of old) {
    const kept = new KeptBytes(database, session);
    try {
      done(await kept.reseal(digest));
    } catch (error) {
      unreadable.push(messageOf(error));
    }
  }
}

function readable(open: () => string, unreadable: string[]): string | undefined {
  try {
    return open();
  } catch (error) {
    unreadable.push(messageOf(error));
    return undefined;
  }
}

/** Fails: when it is not the content that is wrong. */
function messageOf(error: unknown): string {
  if (error instanceof StoreError && error.cause instanceof EncryptionError) return error.message;
  throw error;
}
