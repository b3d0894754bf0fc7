// Needs Postgres: binaries of the packages, of the system, or EVERLOOP_TEST_POSTGRES.
import type { PostgresStore } from '../../src/transcript/postgres/postgres-store';
import type { Lease, SessionStore } from '../../src/transcript/store';
import { Random } from '../../src/simulation/random';
import * as build from './builders';
import { expectAllUnderLoad } from './contract/under-load';
import { createCuttingProxy, type CuttingProxy } from './cutting-proxy';
import { createPostgresPlace, execute, type PostgresPlace } from './postgres-place';
import { noPostgres, startPostgres, type TestPostgres } from './postgres-server';

let server: TestPostgres;
let proxy: CuttingProxy;
let place: PostgresPlace;
let store: PostgresStore;
let session: SessionStore;
let lease: Lease;

const describeIf = noPostgres === null ? describe : describe.skip;

describeIf(noPostgres ?? 'a Postgres store whose connections are cut', () => {
  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);

  afterAll(() => server.end());

  beforeEach(async () => {
    proxy = await createCuttingProxy(server.url);
    place = createPostgresPlace(server.url, proxy.url);
    store = await place.open();
    session = await store.createSession(build.meta(place.cwd));
    lease = await session.acquireLease(build.owner('first'), build.alive);
  });

  afterEach(async () => {
    await place.dispose();
    await proxy.end();
  });

  const lostOnce = async <T>(word: string, act: () => Promise<T>): Promise<T> => {
    const before = proxy.lostAnswers();
    proxy.loseAnswerTo(word);
    const outcome = await act();
    expect(proxy.lostAnswers()).toBe(before + 1);
    return outcome;
  };

  test('under load, everything is written once and followed in order', async () => {
    const stop = proxy.cutByChance(new Random(1), 40);

    await expectAllUnderLoad(place);

    expect(stop()).toBeGreaterThan(0);
  });

  test('an append whose answer was lost is there once', async () => {
    const records = build.chainOf(2);

    const written = await lostOnce('one.uuid', () => session.append(lease, 'key', records));

    expect(build.uuids(written)).toEqual(build.uuids(records));
    expect(await session.chain(records[1]!.uuid)).toHaveLength(2);
  });

  test('log entries whose answer was lost are there once', async () => {
    await lostOnce('logged_by', () => session.log.append(lease, [build.retry(1)]));
    await session.log.append(lease, [build.retry(2)]);

    const entries = [];
    for await (const { entry } of session.log.read()) entries.push(build.attemptOf(entry));

    expect(entries).toEqual([1, 2]);
  });

  test('an intent whose answer was lost counts as written, by another it does not', async () => {
    const call = { id: 'call', recordId: 'record' };
    const intent = { tool: 'Bash', attempt: 1, at: '' };

    await lostOnce('INSERT', () => session.ledger.recordIntent(lease, call, intent));

    const again = session.ledger.recordIntent(lease, call, intent);
    await expect(again).rejects.toMatchObject({ code: 'intent_exists' });
  });

  test('a failure whose answer was lost counts once', async () => {
    const failure = { status: 529, error: 'overloaded', at: '' };

    await lostOnce('INSERT', () => session.ledger.recordFailure(lease, 'model', failure));

    expect(await session.ledger.failures('model')).toEqual([failure]);
  });

  test('the work of a day is claimed by whoever asked, also when the answer was lost', async () => {
    const claimed = await lostOnce('INSERT', () => store.claimDay('work', '2026-11-22'));

    expect(claimed).toBe(true);
    expect(await (await place.open()).claimDay('work', '2026-11-22')).toBe(false);
  });

  test('a session and a lease whose answers were lost belong to whoever asked', async () => {
    const meta = build.meta(place.cwd);

    const made = await lostOnce('INSERT', () => store.createSession(meta));
    const held = await lostOnce('acquired_by = $6', () =>
      made.acquireLease(build.owner('second'), build.alive),
    );

    expect(held.epoch).toBe(1);
    expect(await made.currentLease()).toEqual(held);
    await made.append(held, 'key', [build.user(null)]);
  });

  test('a follower hears of what comes after its connection was cut', async () => {
    const abort = new AbortController();
    const following = session.log.follow(null, abort.signal);
    await session.log.append(lease, [build.retry(1)]);
    await following.next();
    const next = following.next();

    proxy.cutAll();
    const [other] = [await (await place.open(server.url)).openSession(session.meta.sessionId)];
    await other!.log.append(lease, [build.retry(2)]);

    expect((await next).value).toMatchObject({ entry: build.retry(2) });
    abort.abort();
  });

  test('deltas that cannot be written fail nothing', async () => {
    const live = await session.log.openLive(lease, 'stream');
    await store.close();

    live.write({ event: 'delta', blocks: 0 });
    await live.close();
  });

  test('entries that the server has lost are followed again from the beginning', async () => {
    const abort = new AbortController();
    const following = session.log.follow(null, abort.signal);
    await session.log.append(lease, [build.retry(1)]);
    await following.next();
    const schema = /schema=(\w+)/.exec(place.url)![1]!;

    // As a standby would be that lagged behind: the entry is gone and another has its number.
    await execute(server.url, `DELETE FROM ${schema}.log`);
    await execute(server.url, `UPDATE ${schema}.heads SET entries = 0`);
    await session.log.append(lease, [build.retry(7)]);

    expect((await following.next()).value).toMatchObject({ entry: build.retry(7) });
    abort.abort();
  });
});
