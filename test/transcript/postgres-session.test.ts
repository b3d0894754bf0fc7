// Needs Temporal, and Postgres: binaries of the packages, of the system, or EVERLOOP_TEST_POSTGRES.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDurable, withDurable } from '../support/durable';
import { call, calls, fileIn, heldCommand, says } from '../support/replies';
import { WorkerProcess } from '../support/worker-process';
import { createPostgresPlace, type PostgresPlace } from './postgres-place';
import { noPostgres, startPostgres, type TestPostgres } from './postgres-server';

let server: TestPostgres;
let place: PostgresPlace;
let home: string;

const describeIf = noPostgres === null ? describe : describe.skip;

describeIf(noPostgres ?? 'a session in Postgres', () => {
  beforeAll(async () => {
    server = await startPostgres();
  }, 120_000);

  afterAll(() => server.end());

  beforeEach(() => {
    place = createPostgresPlace(server.url);
    home = mkdtempSync(join(tmpdir(), 'everloop-second-home-'));
  });

  afterEach(async () => {
    await place.dispose();
    rmSync(home, { recursive: true });
  });

  test('runs a turn with a tool and remembers it', async () => {
    const script = [calls(call('Bash', { command: 'echo made' })), says('Done.'), says('I know.')];
    await withDurable({ script, storeUrl: place.url }, async (durable) => {
      const first = await durable.ask('Do it.');
      const second = await durable.ask('Do you remember?');

      expect([first.result, second.result]).toEqual(['Done.', 'I know.']);
      expect(JSON.stringify(durable.requestMessages.at(-1))).toContain('made');
      expect(durable.entries.at(-1)?.type).toBe('query_ended');
    });
  });

  test('a killed Worker is replaced by one with another home; its command is not run again', async () => {
    const script = [calls(heldCommand()), says('Done.')];
    const durable = await startDurable({ script, storeUrl: place.url, isServed: false });
    const env = { EVERLOOP_STORE: place.url };
    const first = await WorkerProcess.start(durable, env);
    const workers = [first];
    try {
      const id = await durable.say('Do it.');
      await fileIn(durable.project, 'started');
      await first.kill();
      workers.push(await WorkerProcess.start(durable, { ...env, EVERLOOP_HOME: home }));

      const result = await durable.resultOf(id);

      expect(result.result).toBe('Done.');
      const runs = readFileSync(join(durable.project, 'runs'), 'utf8').trim().split('\n');
      expect(runs).toHaveLength(1);
      expect(JSON.stringify(durable.requestMessages.at(-1))).toMatch(/Outcome unknown:/);
    } finally {
      for (const worker of workers) await worker.kill();
      writeFileSync(join(durable.project, 'go'), '');
      await commandEnded(durable.project);
      await durable.close();
    }
    // The server notices the lost attempt by its missing heartbeats.
  }, 600_000);
});

/** The command outlives its Worker; the test must not. */
async function commandEnded(project: string): Promise<void> {
  const pid = Number(readFileSync(join(project, 'runs'), 'utf8').split('\n')[0]);
  const deadline = Date.now() + 60_000;
  while (existsSync(`/proc/${pid}`) && Date.now() < deadline) await sleep(20);
}
