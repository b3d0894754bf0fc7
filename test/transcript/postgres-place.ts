import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { KeyRing } from '../../src/encryption/key-ring';
import {
  createPostgresStore,
  type PostgresStore,
} from '../../src/transcript/postgres/postgres-store';
import type { StorePlace } from './contract/given';

/** A schema of its own on a Postgres server. */
export interface PostgresPlace extends StorePlace {
  /** Of the store; with credentials. */
  readonly url: string;
  readonly schema: string;
  open(through?: string): Promise<PostgresStore>;
  /** The same schema for a while: its `dispose` closes what it has opened. Making a schema costs more than a test. */
  visit(): StorePlace;
}

/** `server`: URL of the server. `through`: where stores reach it, if not there. `rings`: each store that is opened has
 *  the next of them, in turn. */
export function createPostgresPlace(
  server: string,
  through = server,
  rings: readonly (KeyRing | null)[] = [null],
): PostgresPlace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-store-')));
  const cwd = join(root, 'work space.d');
  mkdirSync(cwd);
  const schema = `test_${randomBytes(4).toString('hex')}`;
  const urlOf = (of: string) =>
    `${of}?schema=${schema}&place=postgres-test-${schema}&connections=4`;
  const stores: PostgresStore[] = [];
  let opened = 0;
  const openAt = (of: string): PostgresStore => {
    const ring = rings[opened % rings.length] ?? null;
    opened += 1;
    return createPostgresStore({ url: urlOf(of), home: join(root, 'home'), ring });
  };
  return {
    url: urlOf(through),
    schema,
    cwd,
    open: async (of = through) => {
      const store = openAt(of);
      stores.push(store);
      return store;
    },
    visit: () => {
      const own: PostgresStore[] = [];
      return {
        cwd,
        open: async () => {
          const store = openAt(through);
          own.push(store);
          return store;
        },
        dispose: async () => {
          await Promise.all(own.map((store) => store.close()));
        },
      };
    },
    dispose: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await execute(server, `DROP SCHEMA IF EXISTS ${schema} CASCADE`);
      rmSync(root, { recursive: true });
    },
  };
}

/** Runs one statement as an administrator would. */
export async function execute(server: string, statement: string): Promise<unknown[]> {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}
