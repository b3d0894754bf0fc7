import { Client } from 'pg';

/** All values of one column. */
export interface DumpedColumn {
  /** `database.schema.table.column` */
  readonly name: string;
  /** One value after the other, `bytea` as the bytes that it is. */
  readonly bytes: Buffer;
}

export interface Superuser {
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

const BYTEA = 17;
const TABLES = `
  SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
  WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'
  ORDER BY 1`;
/** What the planner has learnt of contents, and statements that ran last. */
const SYSTEM_VIEWS = ['pg_catalog.pg_stats', 'pg_catalog.pg_stat_activity'];

/** Reads every column of every table of every database of a server. Fails: an error of the driver. */
export async function* dumpServer(at: Superuser): AsyncGenerator<DumpedColumn, void> {
  const databases = await inDatabase(at, 'postgres', (client) =>
    client.query<{ datname: string }>('SELECT datname FROM pg_database WHERE datallowconn'),
  );
  for (const { datname: database } of databases.rows) {
    yield* await inDatabase(at, database, (client) => dumpDatabase(client, database));
  }
}

async function inDatabase<T>(
  at: Superuser,
  database: string,
  act: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({ host: '127.0.0.1', database, ...at });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

async function dumpDatabase(client: Client, database: string): Promise<readonly DumpedColumn[]> {
  await client.query('ANALYZE');
  await client.query('CHECKPOINT');
  const { rows } = await client.query<{ name: string }>(TABLES);
  const columns: DumpedColumn[] = [];
  for (const table of [...rows.map(({ name }) => name), ...SYSTEM_VIEWS]) {
    const { fields, rows: values } = await client.query<(string | Buffer | null)[]>({
      text: `SELECT * FROM ${table}`,
      rowMode: 'array',
      types: { getTypeParser: (type: number) => (type === BYTEA ? fromHex : String) },
    });
    columns.push(
      ...fields.map(({ name }, index) => ({
        name: `${database}.${table}.${name}`,
        bytes: Buffer.concat(values.flatMap((row) => [toBytes(row[index] ?? ''), SEPARATOR])),
      })),
    );
  }
  return columns;
}

const SEPARATOR = Buffer.from('\n');
const toBytes = (value: string | Buffer): Buffer =>
  typeof value === 'string' ? Buffer.from(value) : value;

/** `\x` and hex digits. */
const fromHex = (text: string): Buffer => Buffer.from(text.slice(2), 'hex');
