// Needs: Postgres.
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { loadConfig, Secret } from '../../src/config';
import { openTrialPlace, storeOfTrial } from '../../src/crash-test/trial-place';
import { noPostgres, startPostgres, type TestPostgres } from '../transcript/postgres-server';

describe(noPostgres ?? 'with the store in Postgres', () => {
  const testIf = noPostgres === null ? test : test.skip;
  let postgres: TestPostgres;
  let home: string;
  beforeAll(async () => {
    if (noPostgres !== null) return;
    postgres = await startPostgres();
    home = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-trial-')));
  }, 60_000);
  afterAll(async () => {
    if (noPostgres !== null) return;
    await postgres.end();
    rmSync(home, { recursive: true, force: true });
  });

  testIf('each run has a store of its own, and takes its schema away', async () => {
    const [one, other] = [openOne(), openOne()];
    await Promise.all([one.store.listSessions(), other.store.listSessions()]);
    const during = await schemas();

    await Promise.all([one.remove(), other.remove()]);

    expect(one.store.place).not.toBe(other.store.place);
    expect(during).toHaveLength(2);
    expect(await schemas()).toEqual([]);
  });

  testIf('a URL that cannot be used is refused before anything is made', () => {
    expect(() => storeOfTrial(new Secret('mysql://127.0.0.1/everloop'))).toThrow(
      'EVERLOOP_STORE cannot be used: it begins with mysql://',
    );
  });

  const openOne = () => {
    const store = storeOfTrial(new Secret(`${postgres.url}?place=shared`));
    return openTrialPlace(loadConfig({ EVERLOOP_HOME: home, EVERLOOP_STORE: store }, home));
  };

  async function schemas(): Promise<readonly string[]> {
    const client = new Client(postgres.url);
    await client.connect();
    const sql = `SELECT nspname FROM pg_namespace WHERE nspname LIKE 'crash\\_%'`;
    const { rows } = await client.query<{ nspname: string }>(sql);
    await client.end();
    return rows.map(({ nspname }) => nspname);
  }
});
