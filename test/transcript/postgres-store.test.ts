// Needs Postgres: binaries of the packages, of the system, or EVERLOOP_TEST_POSTGRES.
import { createPostgresPlace } from './postgres-place';
import { noPostgres, startPostgres, type TestPostgres } from './postgres-server';
import { describeStore } from './store-contract';

let server: TestPostgres;

const describeIf = noPostgres === null ? describe : describe.skip;

describeIf(noPostgres ?? 'with a Postgres server', () => {
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);

  afterAll(() => server.end());

  describeStore('the Postgres store', async () => createPostgresPlace(server.url));
});
