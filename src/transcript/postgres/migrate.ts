import type { ClientBase } from 'pg';
import { StoreError } from '../store-error';
import { MIGRATIONS } from './migrations';
import type { StoreUrl } from './store-url';

/** Only one process migrates at a time, whatever its schema. The number is arbitrary and ours. */
const LOCK = 7_365_201_119;

/** Brings the schema to what this build needs, in one transaction; does nothing where it is so. Safe to repeat.
 *  Fails: StoreError `io` when a newer build has changed the schema, or when it goes by another name. */
export async function migrate(
  client: ClientBase,
  { schema, place }: Pick<StoreUrl, 'schema' | 'place'>,
): Promise<void> {
  if (await isCurrent(client, schema, place)) return;
  try {
    await client.query('BEGIN');
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK]);
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await client.query(
      `CREATE TABLE IF NOT EXISTS ${schema}.migrations (
         version integer PRIMARY KEY, place text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())`,
    );
    const applied = await appliedVersion(client, schema);
    for (const [index, migration] of MIGRATIONS.entries()) {
      if (index + 1 <= applied) continue;
      await client.query(migration(schema));
      await client.query(`INSERT INTO ${schema}.migrations (version, place) VALUES ($1, $2)`, [
        index + 1,
        place,
      ]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
  await isCurrent(client, schema, place);
}

async function isCurrent(client: ClientBase, schema: string, place: string): Promise<boolean> {
  const { rows } = await client.query<{ found: string | null }>('SELECT to_regclass($1) AS found', [
    `${schema}.migrations`,
  ]);
  if (rows[0]?.found == null) return false;
  const version = await appliedVersion(client, schema);
  if (version > MIGRATIONS.length) {
    throw new StoreError(
      'io',
      `The schema ${schema} at ${place} is of version ${version}, and this everloop knows ${MIGRATIONS.length}. Install the newer everloop that has changed it.`,
    );
  }
  if (version > 0) await requirePlace(client, schema, place);
  return version === MIGRATIONS.length;
}

async function appliedVersion(client: ClientBase, schema: string): Promise<number> {
  const { rows } = await client.query<{ version: number }>(
    `SELECT coalesce(max(version), 0) AS version FROM ${schema}.migrations`,
  );
  return rows[0]?.version ?? 0;
}

/** The place is part of every Workflow id: two names for one store would be two Workflows for one session. */
async function requirePlace(client: ClientBase, schema: string, place: string): Promise<void> {
  const { rows } = await client.query<{ place: string }>(
    `SELECT place FROM ${schema}.migrations ORDER BY version LIMIT 1`,
  );
  const made = rows[0]?.place;
  if (made === undefined || made === place) return;
  throw new StoreError(
    'io',
    `EVERLOOP_STORE leads to a store that was made as ${made}, but calls it ${place}. All processes must name it alike: use that host, port and database, or add place=${made} to the parameters of the URL.`,
  );
}
