import { readFileSync, readdirSync } from 'node:fs';
import { Client } from 'pg';
import { startPostgres } from '../../test/transcript/postgres-server';
import type { Engine } from './engine';

export interface PostgresEngine extends Engine {
  readonly url: string;
  close(): Promise<void>;
}

/** A Postgres server with one database, as durable as it comes: it waits for the disk at each commit. */
export async function startPostgresEngine(): Promise<PostgresEngine> {
  const server = await startPostgres({ fsync: 'on' });
  const client = new Client({ connectionString: server.url });
  await client.connect();
  const one = async (query: string): Promise<number> => {
    const { rows } = await client.query<{ value: string }>(`SELECT ${query} AS value`);
    return Number(rows[0]?.value);
  };
  const parent = parentOf(await one('pg_backend_pid()'));
  const size = (): Promise<number> => one('pg_database_size(current_database())');
  return {
    url: server.url,
    pids: async () => [parent, ...childrenOf(parent)],
    mark: size,
    stored: async (_, mark) => ({ events: null, bytes: (await size()) - mark, besideBytes: 0 }),
    async close() {
      await client.end();
      await server.end();
    },
  };
}

function childrenOf(pid: number): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((each) => {
      try {
        return parentOf(each) === pid;
      } catch {
        // Not a process, or gone meanwhile.
        return false;
      }
    });
}

function parentOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
}
