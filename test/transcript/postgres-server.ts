import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres, initPostgres, servePostgres } from '../../cluster/native-postgres';
import { freePort } from '../support/free-port';

/** A Postgres server for the tests of one file. */
export interface TestPostgres {
  /** With credentials, without a schema. */
  readonly url: string;
  end(): Promise<void>;
}

/** null: one can be had. Else why not, for the title of what is skipped. */
export const noPostgres: string | null =
  process.env['EVERLOOP_TEST_POSTGRES'] !== undefined || findPostgres()
    ? null
    : 'no Postgres: install dependencies for this platform, or set EVERLOOP_TEST_POSTGRES to a URL';

const FLAGS = ['-A', 'scram-sha-256', '-E', 'UTF8', '--locale=C', '--no-sync'];

/** Starts a server in a folder of its own, or takes the one that EVERLOOP_TEST_POSTGRES names. Without fsync it is
 *  quicker, and safe from crashes of its own alone. */
export async function startPostgres(
  { fsync }: { readonly fsync: 'on' | 'off' } = { fsync: 'off' },
): Promise<TestPostgres> {
  const given = process.env['EVERLOOP_TEST_POSTGRES'];
  if (given !== undefined) return { url: given, end: async () => undefined };
  const programs = findPostgres();
  if (programs === undefined) throw new Error(noPostgres ?? '');
  const path = mkdtempSync(join(tmpdir(), 'everloop-postgres-'));
  const password = randomBytes(12).toString('hex');
  const folder = await initPostgres(path, programs, { user: 'everloop', password, flags: FLAGS });
  const port = await freePort();
  const server = await servePostgres(folder, { port, fsync });
  return {
    url: `postgres://everloop:${password}@127.0.0.1:${port}/postgres`,
    end: async () => {
      await server.end();
      rmSync(path, { recursive: true });
    },
  };
}
