// Needs Postgres: binaries of the packages, of the system, or EVERLOOP_TEST_POSTGRES.
import { readFileSync } from 'node:fs';
import { createPostgresStore } from '../../src/transcript/postgres/postgres-store';
import { MIGRATIONS } from '../../src/transcript/postgres/migrations';
import { Bodies } from '../../src/transcript/postgres/bodies';
import { Database } from '../../src/transcript/postgres/database';
import { parseStoreUrl } from '../../src/transcript/postgres/store-url';
import * as build from './builders';
import { expectAllUnderLoad } from './contract/under-load';
import { createPostgresPlace, execute, type PostgresPlace } from './postgres-place';
import { noPostgres, startPostgres, type TestPostgres } from './postgres-server';

let server: TestPostgres;
let place: PostgresPlace;

const describeIf = noPostgres === null ? describe : describe.skip;

describe('the URL of a store', () => {
  const open = (url: string) => () => createPostgresStore({ url, home: '/nowhere' });

  test.each([
    ['not a URL secret', 'no URL'],
    ['mysql://ann:secret@db/x', 'mysql://'],
    ['postgres://ann:secret@db', 'no database'],
    ['postgres://ann:secret@db/x?schema=Ev%22il', 'schema'],
    ['postgres://ann:secret@db/x?connections=none', 'connections'],
  ])('%s is refused, and never shown', (url, why) => {
    expect(open(url)).toThrow(why);
    expect(open(url)).toThrow('EVERLOOP_STORE');
    expect(open(url)).not.toThrow('secret');
  });

  test('the place is named without credentials', async () => {
    const store = open('postgres://ann:secret@db.example/team?schema=blue&sslmode=disable')();

    expect(store.place).toBe('postgres://db.example:5432/team/blue');
    await store.close();
  });
});

describeIf(noPostgres ?? 'with a Postgres server', () => {
  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);

  afterAll(() => server.end());

  beforeEach(() => {
    place = createPostgresPlace(server.url);
  });

  afterEach(() => place.dispose());

  const schemaOf = () => /schema=(\w+)/.exec(place.url)![1]!;

  test('several processes may find an empty database at once', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => place.open()));

    const listed = await Promise.all(stores.map((store) => store.listSessions()));

    expect(listed.flat()).toEqual([]);
    const applied = await execute(server.url, `SELECT version FROM ${schemaOf()}.migrations`);
    expect(applied).toEqual(MIGRATIONS.map((_migration, index) => ({ version: index + 1 })));
  });

  test('a schema that a newer build has changed is refused', async () => {
    await (await place.open()).listSessions();
    await execute(server.url, `INSERT INTO ${schemaOf()}.migrations VALUES (99, 'x')`);

    const listing = (await place.open()).listSessions();

    await expect(listing).rejects.toThrow(/version 99.*Install the newer everloop/s);
  });

  test('one store goes by one name', async () => {
    await (await place.open()).listSessions();
    const url = place.url.replace(/place=[^&]+&?/, '');
    const renamed = createPostgresStore({ url, home: '/nowhere' });

    const listing = renamed.listSessions();

    await expect(listing).rejects.toThrow(`was made as postgres-test-${schemaOf()}`);
    await renamed.close();
  });

  test('wrong credentials fail at once, with the cure and without the password', async () => {
    const url = new URL(place.url);
    [url.username, url.password] = ['nobody_here', 'mistaken'];
    const store = createPostgresStore({ url: url.href, home: '/nowhere' });

    const message = await store.listSessions().catch(String);

    expect(message).toContain('Correct the user and password in EVERLOOP_STORE');
    expect(message).not.toContain('mistaken');
    await store.close();
  });

  test('commits wait for the disk, though the server would be content with less', async () => {
    const lax = parseStoreUrl(`${place.url}&options=-c%20synchronous_commit%3Doff`);
    const database = new Database(lax, new Bodies(null));

    const rows = await database.query('ask', 'SHOW synchronous_commit', []);

    expect(rows).toEqual([{ synchronous_commit: 'on' }]);
    await database.close();
  });

  test('a record of tens of megabytes is read as it was written', async () => {
    const session = await (await place.open()).createSession(build.meta(place.cwd));
    const lease = await session.acquireLease(build.owner('first'), build.alive);
    const [small, after] = build.chainOf(2);
    const large = build.user(small!.uuid, '"quoted" \\ ä 🙂\n'.repeat(2_000_000));
    await session.append(lease, 'large', [small!, large, { ...after!, parentUuid: large.uuid }]);

    const other = await (await place.open()).openSession(session.meta.sessionId);
    const chain = await other!.chain(after!.uuid);

    expect(build.uuids(chain)).toEqual([small!.uuid, large.uuid, after!.uuid]);
    expect(chain[1]).toMatchObject({ message: { content: large.message.content } });
  });

  test('a kept file of many parts comes back as it was', async () => {
    const session = await (await place.open()).createSession(build.meta(place.cwd));
    const bytes = Buffer.alloc(9 << 20, 'some bytes ');

    const digest = await session.kept.put(bytes);

    expect((await session.kept.get(digest))?.equals(bytes)).toBe(true);
    expect(await session.kept.get(await session.kept.put(Buffer.alloc(0)))).toEqual(
      Buffer.alloc(0),
    );
  });

  test('the writer has a copy of the transcript on its disk, from before its time too', async () => {
    const session = await (await place.open()).createSession(build.meta(place.cwd));
    const first = await session.acquireLease(build.owner('first'), build.alive);
    const records = build.chainOf(3);
    await session.append(first, 'before', records.slice(0, 1));
    const other = await (await place.open()).openSession(session.meta.sessionId);
    const second = await other!.acquireLease(build.owner('second'), build.dead);

    await other!.append(second, 'then', records.slice(1, 2));
    await other!.append(second, 'last', records.slice(2));

    const lines = readFileSync(other!.transcriptPath, 'utf8').trimEnd().split('\n');
    const copied = lines.map((line) => (JSON.parse(line) as { uuid: string }).uuid);
    expect(copied).toEqual(build.uuids(records));
  });

  test('under load, everything is written once and followed in order', async () => {
    await expectAllUnderLoad(place);
  });
});
