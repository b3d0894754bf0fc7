// Needs Postgres: binaries of the packages, of the system, or EVERLOOP_TEST_POSTGRES.
// EVERLOOP_TEST_CUT_ROUNDS: that many rounds of the whole contract, under load, on both back ends, with and without
// keys, and figures at the end. EVERLOOP_TEST_CUT_SEED: of the first.
import { newKeyLine, parseKeys } from '../../src/encryption/encryption-key';
import { KeyRing } from '../../src/encryption/key-ring';
import { Random } from '../../src/simulation/random';
import type { StorePlace } from './contract/given';
import { expectAllUnderLoad } from './contract/under-load';
import { createCuttingProxy, type CuttingProxy } from './cutting-proxy';
import { createFilePlace } from './file-place';
import { createPostgresPlace, type PostgresPlace } from './postgres-place';
import { noPostgres, startPostgres, type TestPostgres } from './postgres-server';
import { CONTENT_PARTS, describeStore } from './store-contract';

/** Pieces of what passes for each cut: a statement is two or more, a new connection about eight. */
const PIECES_A_CUT = 40;

const rounds = Number(process.env['EVERLOOP_TEST_CUT_ROUNDS'] ?? 0);
const firstSeed = Number(process.env['EVERLOOP_TEST_CUT_SEED'] ?? 1);
const ring = new KeyRing(parseKeys(newKeyLine('key'), 'KEYS'));

let server: TestPostgres;
let proxy: CuttingProxy;
let stopCutting: () => number;
let place: PostgresPlace;

const describeIf = noPostgres === null ? describe : describe.skip;

describeIf(noPostgres ?? 'with connections that are cut at random', () => {
  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);

  afterAll(() => server.end());

  if (rounds === 0) describeCut('the Postgres store', firstSeed);
  for (let round = 0; round < rounds; round += 1) describeRound(firstSeed + round);
});

/** One schema for all, so that its making is cut once. */
function describeCut(name: string, seed: number): void {
  describe(name, () => {
    beforeAll(async () => {
      await beginCutting(seed);
      place = createPostgresPlace(server.url, proxy.url, [ring]);
    });

    afterAll(async () => {
      const cuts = stopCutting();
      await place.dispose();
      await proxy.end();
      expect(cuts).toBeGreaterThan(0);
    });

    describeStore(name, async () => place.visit(), CONTENT_PARTS);
  });
}

function describeRound(seed: number): void {
  const name = `seed ${seed}`;
  describe(name, () => {
    let load: Load;

    beforeAll(async () => {
      await beginCutting(seed);
      load = beginLoad(() => createPostgresPlace(server.url, proxy.url, [ring]));
    });

    afterAll(async () => {
      const passes = await load.end();
      const cuts = stopCutting();
      await proxy.end();
      process.stdout.write(`  ${name}: ${cuts} cuts, ${passes} passes of the load beside it\n`);
      expect(cuts).toBeGreaterThan(0);
    });

    describeStore(`the Postgres store, ${name},`, async () =>
      createPostgresPlace(server.url, proxy.url),
    );
    describeStore(`the Postgres store with a key, ${name},`, async () =>
      createPostgresPlace(server.url, proxy.url, [ring]),
    );
  });

  describe(`files, ${name}`, () => {
    let load: Load;

    beforeAll(() => {
      load = beginLoad(createFilePlace);
    });

    afterAll(async () => {
      const passes = await load.end();
      process.stdout.write(`  files: ${passes} passes of the load beside it\n`);
    });

    describeStore('the file store', async () => createFilePlace());
  });
}

async function beginCutting(seed: number): Promise<void> {
  proxy = await createCuttingProxy(server.url);
  stopCutting = proxy.cutByChance(new Random(seed), PIECES_A_CUT);
}

interface Load {
  /** Returns how often everything was written and read again. Fails: when something was not as it should be. */
  end(): Promise<number>;
}

/** Writers and followers of other sessions, in places of their own, until they are told to end. */
function beginLoad(createPlace: () => StorePlace): Load {
  const ending = new AbortController();
  const work = passesUntil(ending.signal, createPlace);
  work.catch(() => undefined);
  return {
    end: () => {
      ending.abort();
      return work;
    },
  };
}

async function passesUntil(ended: AbortSignal, createPlace: () => StorePlace): Promise<number> {
  let passes = 0;
  for (; !ended.aborted; passes += 1) {
    const own = createPlace();
    await expectAllUnderLoad(own);
    await own.dispose();
  }
  return passes;
}
