// Needs Temporal, and Postgres: binaries of the packages, of the system, or EVERLOOP_TEST_POSTGRES.
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { NativeConnection } from '@temporalio/worker';
import { AgentClient } from '../../src/client/agent-client';
import { decrypted } from '../../src/client/decrypted';
import { anybody } from '../../src/encryption/admission';
import { serveCodec } from '../../src/encryption/codec-server';
import { encryptedConverter } from '../../src/encryption/data-converter';
import { newKeyLine, parseKeys } from '../../src/encryption/encryption-key';
import { KeyRing } from '../../src/encryption/key-ring';
import { collect } from '../../src/cli/operator/collect';
import type { CollectCommand } from '../../src/cli/operator/collect-command';
import { keysInTemporal } from '../../src/cli/keys/keys-in-temporal';
import { createPayloadCodec } from '../../src/encryption/payload-codec';
import { COLLECTED_KINDS, type CollectedKind } from '../../src/transcript/collection';
import {
  createPostgresStore,
  type PostgresStore,
} from '../../src/transcript/postgres/postgres-store';
import type { SessionStore } from '../../src/transcript/store';
import { startWorker } from '../../src/worker';
import { composeActivities } from '../../src/worker-activities';
import { startDurable, type Durable } from '../support/durable';
import { RUN_OPTIONS } from '../support/fake-surroundings';
import { runsOf, type History, type Run } from '../support/histories';
import { operate, parsedAs } from '../support/operator-world';
import { call, calls, fileIn, heldCommand, says, text } from '../support/replies';
import { workflowBundle } from '../support/workflow-bundle';
import { createPostgresPlace, execute, type PostgresPlace } from '../transcript/postgres-place';
import { noPostgres, startPostgres, type TestPostgres } from '../transcript/postgres-server';

const FIRST = newKeyLine('first');
const SECOND = newKeyLine('second');

let server: TestPostgres;
let place: PostgresPlace;
let durable: Durable;

const describeIf = noPostgres === null ? describe : describe.skip;

describeIf(noPostgres ?? 'an encrypted session', () => {
  beforeAll(async () => {
    server = await startPostgres();
    place = createPostgresPlace(server.url);
    const env = { EVERLOOP_ENCRYPTION_KEYS: `${FIRST},${SECOND}` };
    durable = await startDurable({ script: SCRIPT, storeUrl: place.url, env, rolloverEvents: 20 });
  }, 120_000);

  afterAll(async () => {
    await durable.close();
    await place.dispose();
    await server.end();
  });

  test('leaves no clear text in Temporal or Postgres', async () => {
    writeFileSync(join(durable.project, 'old.txt'), MARKER);
    const id = await durable.say(MARKER);
    await fileIn(durable.project, 'started');
    const described = await durable.queryHandle(id).describe();
    const session = await durable.sessionHandle.describe();
    await durable.steer(id, MARKER);
    writeFileSync(join(durable.project, 'go'), '');
    const result = await durable.resultOf(id);

    const runs = await runsOfSession(id);
    const histories = bytesOf(runs);
    const pending = DescribeWorkflowExecutionResponse.encode(described.raw).finish();
    const tables = await dump(server, place);
    expect(result.result).toBe(MARKER);
    expect(await session.staticSummary()).toContain(MARKER);
    expect(findings(Buffer.from(pending))).toEqual([]);
    expect(findings(histories)).toEqual([]);
    expect(findings(tables)).toEqual([]);
    expect(tables.toString()).toContain('"name":"kept"');
    await decrypted(durable.client, runs);
    expect(findings(bytesOf(runs))).toContain(MARKER);
    await durable.closed(durable.queryHandle(id));
  });

  test('its history is read through a codec server, as the UI reads it', async () => {
    const codec = createPayloadCodec(ringOf(FIRST));
    const server = await serveCodec({
      codec,
      host: '127.0.0.1',
      port: 0,
      origins: ['http://ui.example'],
      admission: anybody,
      onProblem: (message) => expect(message).toBe(''),
    });

    const payloads = inputOf(await durable.sessionHandle.fetchHistory());
    const answer = await fetch(`${server.url}/decode`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: 'http://ui.example' },
      body: JSON.stringify({ payloads }),
    });

    const decoded = (await answer.json()) as { payloads: { data: string }[] };
    await server.close();
    expect(answer.headers.get('access-control-allow-origin')).toBe('http://ui.example');
    expect(Buffer.from(decoded.payloads[0]?.data ?? '', 'base64').toString()).toContain('idleMs');
  });

  test('opens and goes on after its key was rotated', async () => {
    await durable.stopServing();
    const served = await serveWith(`${SECOND},${FIRST}`);
    const { unreadable } = await served.store.reseal(() => undefined);
    const use = await served.store.keyUse();
    // The server's index is a moment behind: of all runs the session's last is open.
    while ((await durable.client.workflow.count(openRuns())).count !== 1);
    const before = await keysInTemporal(served.client, served.store.place);

    const result = await served.ask('And now?');

    await served.stop();
    expect(unreadable).toEqual([]);
    expect(use.map(({ keyId }) => keyId)).toEqual(['second']);
    expect(before.get('first')).toBe(1);
    expect(result).toBe('Still here.');
    const alone = openPostgres(SECOND);
    const session = await alone.openSession(durable.sessionId);
    const chain = await session?.chain((await session.lastLeaf()) ?? '');
    expect(JSON.stringify(chain)).toContain(MARKER);
    expect(JSON.stringify(await session?.ledger.trackedFiles().then((it) => [...it]))).toContain(
      'old.txt',
    );
    await alone.close();
  });

  test('is collected by age, and reads as before', async () => {
    await endWorkflows();
    const before = await chainOf(durable.session);
    const command: CollectCommand = parsedAs('collect', 'collect', '--older-than', '1d', '--json');

    const collected = await operate(durable, command, (given, operator) =>
      collect(given, operator, { nowMs: Date.now() + 3 * DAY_MS, confirm: null }),
    );

    const { kinds, done } = JSON.parse(collected.text) as Collection;
    expect(done).toBe(true);
    for (const kind of COLLECTED_KINDS) expect(kinds[kind].items).toBeGreaterThan(0);
    const events = await durable.session.ledger.events();
    expect(events.filter(({ type }) => type === 'intent' || type === 'result')).toEqual([]);
    expect(await chainOf(durable.session)).toEqual(before);
  });

  test('a process without its key is told which, and the cure', async () => {
    const [none, other] = [openPostgres(null), openPostgres(newKeyLine('other'))];
    const opened = await Promise.all(
      [none, other].map((one) => one.openSession(durable.sessionId)),
    );

    const told = await Promise.all(
      opened.map(async (session) => session?.lastLeaf().catch(String)),
    );

    await Promise.all([none.close(), other.close()]);
    expect(told[0]).toMatch(/"second", and this process has no keys. Add that key/);
    expect(told[1]).toMatch(/"second", and this process has other\. Add that key/);
  });
});

const DAY_MS = 86_400_000;

interface Collection {
  readonly kinds: Readonly<Record<CollectedKind, { readonly items: number }>>;
  readonly done: boolean;
}

const openRuns = (): string =>
  `WorkflowId STARTS_WITH "${durable.sessionWorkflowId}" AND ExecutionStatus = "Running"`;

/** The Workers of both have stopped, perhaps before the server heard of the last end. */
async function endWorkflows(): Promise<void> {
  const { client } = durable;
  const query = openRuns();
  // The server's index is a moment behind.
  while ((await client.workflow.count(query)).count > 0) {
    for await (const { workflowId } of client.workflow.list({ query })) {
      const handle = client.workflow.getHandle(workflowId);
      await handle.terminate('The test has finished with it.').catch(() => undefined);
    }
  }
}

const chainOf = async (session: SessionStore) => session.chain((await session.lastLeaf()) ?? '');

const ringOf = (lines: string): KeyRing => new KeyRing(parseKeys(lines, 'KEYS'));

const openPostgres = (lines: string | null): PostgresStore =>
  createPostgresStore({
    url: place.url,
    home: durable.home,
    ring: lines === null ? null : ringOf(lines),
  });

/** The session in the hands of a process with other keys. */
async function serveWith(lines: string) {
  const store = openPostgres(lines);
  const session = await store.openSession(durable.sessionId);
  if (session === undefined) throw new Error('The session is gone.');
  const connection = await NativeConnection.connect({ address: durable.address });
  const client = new Client({ connection, dataConverter: encryptedConverter(ringOf(lines)) });
  const worker = await startWorker({
    config: durable.config,
    connection,
    client,
    taskQueue: session.meta.taskQueue,
    store,
    version: '0.0.0',
    settings: { cli: null },
    environment: { PATH: process.env['PATH'] },
    workflowBundle: { codePath: await workflowBundle() },
    compose: composeActivities,
  });
  const agent = new AgentClient(client, store.place, {
    idleMs: 60_000,
    rolloverEvents: 500,
    maxToolConcurrency: 10,
  });
  return {
    store,
    client,
    async ask(content: string): Promise<string | undefined> {
      const id = randomUUID();
      const submittedAt = new Date().toISOString();
      const options = { ...RUN_OPTIONS, model: 'claude-sonnet-4-6' };
      await agent.submit(session, { id, content, submittedAt, options }, { isLast: false });
      for await (const { entry } of session.log.follow(null, new AbortController().signal)) {
        if (entry.type === 'query_ended' && entry.promptId === id) return entry.result.result;
      }
      return undefined;
    },
    async stop() {
      await worker.stop();
      await connection.close();
      await store.close();
    },
  };
}

/** As the UI sends it. */
function inputOf({ events }: History): unknown {
  const { Payloads } = temporal.api.common.v1;
  const { input } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
  return Payloads.toObject(Payloads.create(input ?? {}), { bytes: String })['payloads'];
}

const { DescribeWorkflowExecutionResponse } = temporal.api.workflowservice.v1;

const MARKER = 'Zebrafinkensaft';

const SCRIPT = [
  calls(text(MARKER), call('Read', { file_path: 'old.txt' })),
  calls(call('Write', { file_path: 'old.txt', content: `${MARKER} again` })),
  calls(call('Bash', { command: `echo ${MARKER}; exit 3` }), call('NoSuchTool', { [MARKER]: 1 })),
  calls(heldCommand()),
  says(MARKER),
  says('Still here.'),
];

async function runsOfSession(messageId: string): Promise<readonly Run[]> {
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
