// Needs Postgres: binaries of the packages, of the system, or EVERLOOP_TEST_POSTGRES.
import { randomUUID } from 'node:crypto';
import { livenessIn } from '../../src/recovery/liveness';
import { beginPulse, type Pulse } from '../../src/recovery/pulse';
import type { PostgresStore } from '../../src/transcript/postgres/postgres-store';
import type { LeaseOwner } from '../../src/transcript/store';
import * as build from '../transcript/builders';
import { createCuttingProxy, type CuttingProxy } from '../transcript/cutting-proxy';
import { createPostgresPlace, execute, type PostgresPlace } from '../transcript/postgres-place';
import { noPostgres, startPostgres, type TestPostgres } from '../transcript/postgres-server';

let server: TestPostgres;
let proxy: CuttingProxy;
let place: PostgresPlace;
let near: PostgresStore;
let far: PostgresStore;
let pulse: Pulse | undefined;

const farWorker = (): LeaseOwner => ({ workerId: randomUUID(), host: 'far', socket: '/nowhere' });

const registered = (owner: LeaseOwner) => ({ owner, workspace: null });
const nobody = { load: () => ({ running: 0, isDrained: false }), onOrders: () => undefined };

/** As if its last word were so old. */
const silence = async ({ workerId }: LeaseOwner, text: string): Promise<unknown> => {
  const schema = new URL(place.url).searchParams.get('schema') ?? '';
  const seenAt = `now() - interval '${text}'`;
  return execute(
    server.url,
    `UPDATE ${schema}.workers SET seen_at = ${seenAt} WHERE id = '${workerId}'`,
  );
};

const describeIf = noPostgres === null ? describe : describe.skip;

describeIf(noPostgres ?? 'a Worker of another host, with a store that both share', () => {
  beforeAll(async () => {
    server = await startPostgres();
    proxy = await createCuttingProxy(server.url);
    place = createPostgresPlace(server.url);
    near = await place.open();
    far = await place.open(proxy.url);
  }, 120_000);

  afterEach(async () => {
    await pulse?.stop();
    pulse = undefined;
  });

  afterAll(async () => {
    await place.dispose();
    await proxy.end();
    await server.end();
  });

  test('lives as long as it says so, and is gone once it has left', async () => {
    const owner = farWorker();
    const isAlive = livenessIn(near, 'near');
    pulse = await beginPulse(far.workers, registered(owner), nobody);

    const whileItSpoke = await isAlive(owner);
    await pulse.stop();

    expect(whileItSpoke).toBe(true);
    expect(await isAlive(owner)).toBe(false);
  });

  test('was never heard of: it is gone', async () => {
    expect(await livenessIn(near, 'near')(farWorker())).toBe(false);
  });

  test('is silent: it is given time for a last word, once, and then counts as dead', async () => {
    const owner = farWorker();
    const isAlive = livenessIn(near, 'near');
    await far.workers.tell(registered(owner));
    await silence(owner, '5 seconds');

    const early = await isAlive(owner);
    await silence(owner, '11 seconds');
    const late = await isAlive(owner);
    const words = jest.spyOn(near.workers, 'find');
    const again = await isAlive(owner);

    expect([early, late, again]).toEqual([true, false, false]);
    expect(words).toHaveBeenCalledTimes(1);
    words.mockRestore();
  });

  test('was cut off, as all were: who speaks again before time is up lives', async () => {
    const owner = farWorker();
    pulse = await beginPulse(far.workers, registered(owner), nobody);
    await silence(owner, '1 hour');

    proxy.cutAll();

    expect(await livenessIn(near, 'near')(owner)).toBe(true);
  });

  test('is one of this host by its name: it is asked at its socket, whatever the store says', async () => {
    const owner = farWorker();
    await far.workers.tell(registered(owner));

    expect(await livenessIn(near, 'far')(owner)).toBe(false);
  });

  test('said nothing for weeks: it is forgotten when another one begins', async () => {
    const [gone, silent, next] = [farWorker(), farWorker(), farWorker()];
    for (const owner of [gone, silent]) await far.workers.tell(registered(owner));
    await silence(gone, '31 days');
    await silence(silent, '29 days');

    pulse = await beginPulse(near.workers, registered(next), nobody);

    expect(await near.workers.find(gone.workerId)).toBeUndefined();
    expect(await near.workers.find(silent.workerId)).toBeDefined();
  });

  test('that has left is not heard of again by a word that was late', async () => {
    const owner = farWorker();
    await far.workers.tell(registered(owner));
    await far.workers.leave(owner);

    await far.workers.tell(registered(owner));

    expect(await near.workers.find(owner.workerId)).toBeUndefined();
  });

  test('of a drained host hears of it with its first word, also after a restart, and says that it obeys', async () => {
    const [first, second] = [farWorker(), farWorker()];
    const workspace = { name: 'w', taskQueue: 'q' };
    await near.workers.drains.begin('far');

    const begun = await far.workers.tell({ owner: first, workspace });
    await far.workers.leave(first);
    const restarted = await far.workers.tell({ owner: second, workspace });
    await far.workers.tell({ owner: second, workspace }, { running: 2, isDrained: true });
    const listed = await near.workers.list();
    const ended = [await near.workers.drains.end('far'), await near.workers.drains.end('far')];
    const after = await far.workers.tell({ owner: second, workspace });

    expect([begun, restarted].map(({ isDrained }) => isDrained)).toEqual([true, true]);
    expect(listed).toContainEqual(
      expect.objectContaining({ workerId: second.workerId, running: 2, isDrained: true }),
    );
    expect(ended).toEqual([true, false]);
    expect(after.isDrained).toBe(false);
  });

  test('of two moves from the same workspace the first counts, and the other hears where the session is', async () => {
    const sessionId = randomUUID();
    await near.createSession(build.meta(place.cwd, { sessionId, workspace: 'a' }));

    const first = await near.workers.moveSession(sessionId, { from: 'a', to: 'b' });
    const repeated = await near.workers.moveSession(sessionId, { from: 'a', to: 'b' });
    const second = await near.workers.moveSession(sessionId, { from: 'a', to: 'c' });

    expect([first, repeated, second]).toEqual(['b', 'b', 'b']);
  });
});

test('with a store of one host, a process of another host counts as alive: it cannot be asked', async () => {
  expect(await livenessIn({}, 'near')(farWorker())).toBe(true);
});
