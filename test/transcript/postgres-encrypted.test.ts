// Needs Postgres: binaries of the packages, of the system, or EVERLOOP_TEST_POSTGRES.
import { newKeyLine, parseKeys } from '../../src/encryption/encryption-key';
import { KeyRing } from '../../src/encryption/key-ring';
import { expectAllUnderLoad } from './contract/under-load';
import { createPostgresPlace, type PostgresPlace } from './postgres-place';
import { noPostgres, startPostgres, type TestPostgres } from './postgres-server';
import { CONTENT_PARTS, describeStore } from './store-contract';

const lines = ['first', 'second'].map(newKeyLine);
const ringOf = (...ofLines: readonly string[]): KeyRing =>
  new KeyRing(parseKeys(ofLines.join(), 'KEYS'));

const ONE_KEY = [ringOf(...lines.slice(0, 1))];
/** As processes have them while people go from one key to the next: whoever writes, the others read. */
const ROTATING = [ringOf(...lines), ringOf(...lines.toReversed())];

let server: TestPostgres;
let place: PostgresPlace;

const describeIf = noPostgres === null ? describe : describe.skip;

describeIf(noPostgres ?? 'with a Postgres server', () => {
  beforeAll(async () => {
    server = await startPostgres();
  }, 60_000);

  afterAll(() => server.end());

  describe.each([
    ['with one key', ONE_KEY],
    ['with processes in the middle of a rotation', ROTATING],
  ])('%s', (name, rings) => {
    beforeAll(() => {
      place = createPostgresPlace(server.url, server.url, rings);
    });

    afterAll(() => place.dispose());

    describeStore(`the Postgres store, ${name},`, async () => place.visit(), CONTENT_PARTS);

    test('no row that was written is in clear', async () => {
      const use = await (await place.open()).keyUse();

      expect(use.map(({ keyId }) => keyId)).toEqual(
        rings.length === 1 ? ['first'] : ['first', 'second'],
      );
    });
  });

  test('what is written while keys rotate is whole, and needs the newest key alone in the end', async () => {
    const old = createPostgresPlace(server.url, server.url, ROTATING);
    const rotating = await old.open();
    const stop = { done: false };
    const rotation = (async () => {
      const unreadable: string[] = [];
      while (!stop.done) unreadable.push(...(await rotating.reseal(() => undefined)).unreadable);
      return unreadable;
    })();

    await expectAllUnderLoad(old);
    stop.done = true;
    const unreadable = await rotation;
    await rotating.reseal(() => undefined);

    expect(unreadable).toEqual([]);
    expect((await rotating.keyUse()).map(({ keyId }) => keyId)).toEqual(['first']);
    await old.dispose();
  });
});
