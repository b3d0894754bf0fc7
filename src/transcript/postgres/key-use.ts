import { SEALED } from './bodies';
import type { Database } from './database';
import { SEALED_TABLES } from './sealed-tables';

/** Rows of the store whose contents need a key; `keyId` null: they are in clear. */
export interface KeyUse {
  readonly keyId: string | null;
  readonly rows: number;
}

/** Longer than the mark and any id. */
const HEAD_CHARS = 40;

/** Looks at every row. Fails: StoreError. */
export async function keyUse(database: Database): Promise<readonly KeyUse[]> {
  const { schema } = database;
  const all = [
    ...SEALED_TABLES.map(
      ({ name }) => `SELECT left(body, ${HEAD_CHARS}) AS head FROM ${schema}.${name}`,
    ),
    `SELECT left(digest, ${HEAD_CHARS}) AS head FROM ${schema}.kept`,
  ];
  const rows = await database.query<{ key: string | null; rows: number }>(
    'look at the keys of',
    `SELECT CASE WHEN head LIKE '${SEALED}%' THEN split_part(head, ':', 2) END AS key,
       count(*)::int AS rows
     FROM (${all.join(' UNION ALL ')}) AS heads GROUP BY 1 ORDER BY 1`,
    [],
  );
  return rows.map(({ key, rows: count }) => ({ keyId: key, rows: count }));
}
