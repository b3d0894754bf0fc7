// Needs Temporal, and Postgres: binaries of the packages, of the system, or EVERLOOP_TEST_POSTGRES.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporal } from '@temporalio/proto';
import { decrypted } from '../../src/client/decrypted';
import { newKeyLine } from '../../src/encryption/encryption-key';
import { withDurable, type Durable } from '../support/durable';
import { runsOf, type Run } from '../support/histories';
import { call, calls, fileIn, heldCommand, says, text } from '../support/replies';
import { createPostgresPlace, execute, type PostgresPlace } from '../transcript/postgres-place';
import { noPostgres, startPostgres, type TestPostgres } from '../transcript/postgres-server';

let server: TestPostgres;
let place: PostgresPlace;

const describeIf = noPostgres === null ? describe : describe.skip;

describeIf(noPostgres ?? 'an encrypted session', () => {
  beforeAll(async () => {
    server = await startPostgres();
    place = createPostgresPlace(server.url);
  }, 120_000);

  afterAll(async () => {
    await place.dispose();
    await server.end();
  });

  test('leaves no clear text in Temporal or Postgres', async () => {
    const env = { EVERLOOP_ENCRYPTION_KEYS: newKeyLine('first') };
    const options = { script: SCRIPT, storeUrl: place.url, env, rolloverEvents: 20 };
    await withDurable(options, async (durable) => {
      writeFileSync(join(durable.project, 'old.txt'), MARKER);
      const id = await durable.say(MARKER);
      await fileIn(durable.project, 'started');
      const described = await durable.queryHandle(id).describe();
      const session = await durable.sessionHandle.describe();
      await durable.steer(id, MARKER);
      writeFileSync(join(durable.project, 'go'), '');
      const result = await durable.resultOf(id);

      const runs = await runsOfSession(durable, id);
      const histories = bytesOf(runs);
      const pending = temporal.api.workflowservice.v1.DescribeWorkflowExecutionResponse.encode(
        described.raw,
      ).finish();
      const tables = await dump(server, place);
      expect(result.result).toBe(MARKER);
      expect(await session.staticSummary()).toContain(MARKER);
      expect(findings(Buffer.from(pending))).toEqual([]);
      expect(findings(histories)).toEqual([]);
      expect(findings(tables)).toEqual([]);
      await decrypted(durable.client, runs);
      expect(findings(bytesOf(runs))).toContain(MARKER);
      expect(tables.toString()).toContain('"name":"kept"');
    });
  });
});

const MARKER = 'Zebrafinkensaft';

const SCRIPT = [
  calls(text(MARKER), call('Read', { file_path: 'old.txt' })),
  calls(call('Write', { file_path: 'old.txt', content: `${MARKER} again` })),
  calls(call('Bash', { command: `echo ${MARKER}; exit 3` }), call('NoSuchTool', { [MARKER]: 1 })),
  calls(heldCommand()),
  says(MARKER),
];

async function runsOfSession(durable: Durable, messageId: string): Promise<readonly Run[]> {
  const ids = [durable.sessionWorkflowId, durable.queryHandle(messageId).workflowId];
  return (await Promise.all(ids.map((one) => runsOf(durable.client, one)))).flat();
}

/** Every event, as the server keeps it. */
function bytesOf(runs: readonly Run[]): Buffer {
  const { History } = temporal.api.history.v1;
  return Buffer.concat(runs.map(({ history }) => History.encode(history).finish()));
}

/** Every column of every row. */
async function dump({ url }: TestPostgres, { schema }: PostgresPlace): Promise<Buffer> {
  const tables = (await execute(
    url,
    `SELECT table_name AS name FROM information_schema.tables WHERE table_schema = '${schema}'`,
  )) as { readonly name: string }[];
  const rows: unknown[] = [];
  for (const { name } of tables) {
    const select = `SELECT '${name}' AS name, one::text AS row FROM ${schema}.${name} AS one`;
    rows.push(...(await execute(url, select)));
  }
  rows.push(...(await execute(url, `SELECT encode(bytes, 'escape') AS row FROM ${schema}.kept`)));
  return Buffer.from(JSON.stringify(rows));
}

/** The marker, also as base64 that begins at any byte of three, and as hex. */
function findings(bytes: Buffer): readonly string[] {
  const marker = Buffer.from(MARKER);
  const encoded = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), marker])
      .toString('base64')
      .slice(4, 16),
  );
  return [MARKER, ...encoded, marker.toString('hex')].filter((one) => bytes.includes(one));
}
