// Needs: a build in dist/, a Temporal server (started by the run), Postgres; starts Worker processes and kills them.
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@temporalio/client';
import { NativeConnection } from '@temporalio/worker';
import { listWorkspaces } from '../../src/cli/operator/list-workspaces';
import { moveSessions } from '../../src/cli/operator/move-sessions';
import { asOperator, type Operator } from '../../src/cli/operator/operator';
import { create } from '../../src/cli/open-session';
import { OutputStream } from '../../src/cli/output/output-stream';
import { createSessionHost, type Connected, type SessionHost } from '../../src/cli/session-host';
import { AgentClient } from '../../src/client/agent-client';
import { loadConfig } from '../../src/config';
import { startScriptedModel, type ScriptedModel } from '../../src/scripted-model/scripted-model';
import type { QueryResult } from '../../src/transcript/session-log';
import type { SessionStore } from '../../src/transcript/store';
import { RUN_OPTIONS, WrittenText } from '../support/fake-surroundings';
import { HostProcess } from '../support/host-process';
import { calls, fileIn, heldCommand, says, text } from '../support/replies';
import { cliSearch, temporalAddress } from '../support/temporal';
import { noPostgres, startPostgres, type TestPostgres } from '../transcript/postgres-server';

/** Of waits for what takes 20 to 60 s by its own patience. */
const PATIENCE_MS = 150_000;

let root: string;
let postgres: TestPostgres;
let model: ScriptedModel;
let client: SessionHost;
let connected: Connected;
const hosts = new Map<string, HostProcess>();

const describeIf = noPostgres === null ? describe : describe.skip;

describeIf(noPostgres ?? 'hosts that share a store', () => {
  beforeAll(async () => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-hosts-')));
    postgres = await startPostgres();
    model = await startScriptedModel({
      isStrict: true,
      match: 'conversation',
      script: (request, index) => {
        if (request.rawBody.includes('Stream.')) {
          return { content: [text('Almost'), { ...text(' done.'), hold: 'mid-stream' }] };
        }
        return index === 0 ? calls(heldCommand()) : says('Done.');
      },
    });
    const config = loadConfig(environmentOf('alpha', 'files'), root);
    const connection = await NativeConnection.connect({ address: temporalAddress() });
    const temporal = new Client({ connection });
    const host = createSessionHost({
      config,
      settings: { cli: null },
      version: '0.0.0',
      cli: cliSearch(),
      environment: {},
    });
    const limits = { idleMs: 60_000, rolloverEvents: 500, maxToolConcurrency: 10 };
    const agent = new AgentClient(temporal, host.store.place, {
      ...limits,
      attributes: { user: 'tester' },
    });
    connected = { connection, client: temporal, agent, close: () => connection.close() };
    client = { ...host, connect: async () => ({ ...connected, close: async () => undefined }) };
  }, 120_000);

  afterAll(async () => {
    await Promise.all([...hosts.values()].map((host) => host.kill()));
    await connected.close();
    await client.store.close();
    await model.close();
    await postgres.end();
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });

  test('a host that is lost in mid-stream is replaced by another one with its files', async () => {
    for (const host of ['alpha', 'beta']) await start(host, 'files');
    const { session } = await begin('Stream.', 'files');
    await model.waitUntilHeld('mid-stream', { timeoutMs: PATIENCE_MS });
    const lost = await ownerOf(session);
    const before = model.requests.length;

    await hosts.get(lost)?.kill();
    await model.waitForRequest(before, { timeoutMs: PATIENCE_MS });
    model.release('mid-stream');

    expect((await resultOf(session)).result).toContain('done.');
    expect(await ownerOf(session)).not.toBe(lost);
  });

  describe('when the only host of a workspace is lost, in mid-tool', () => {
    const begun = new Map<string, Begun>();
    const parked = async ({ session }: Begun) => {
      const status = await connected.agent.queryStatus(session.meta.sessionId);
      return status?.waitingFor === 'workspace' ? status : undefined;
    };
    const given = (prompt: string): Begun => {
      const one = begun.get(prompt);
      if (one === undefined) throw new Error(`${prompt} was not begun.`);
      return one;
    };

    beforeAll(async () => {
      const gamma = await start('gamma', 'gamma');
      for (const prompt of ['Moved.', 'Patient.']) {
        begun.set(prompt, await begin(prompt, 'gamma'));
        await fileIn(given(prompt).cwd, 'started');
      }
      await gamma.kill();
    }, PATIENCE_MS);

    test('its sessions wait for it, and people see that they do', async () => {
      const statuses = await Promise.all(
        [...begun.values()].map((one) => until(() => parked(one))),
      );

      const listed = await operate((operator) => listWorkspaces({ json: true }, operator));

      expect(statuses.map(({ workspace }) => workspace)).toEqual(['gamma', 'gamma']);
      expect(listed).toContainEqual(
        expect.objectContaining({ workspace: 'gamma', workers: [], open: 2 }),
      );
    });

    test('nobody is moved to where no Worker lives', async () => {
      const { session } = given('Moved.');

      const [refused] = await move(session, 'nowhere');

      expect(JSON.stringify(refused)).toContain('--force');
      expect((await client.store.openSession(session.meta.sessionId))?.meta.workspace).toBe(
        'gamma',
      );
    });

    test('one that is moved goes on there, with the call of unknown outcome', async () => {
      const { session, cwd } = given('Moved.');

      const [moved] = await move(session, 'files');
      const result = await resultOf(session);
      writeFileSync(join(cwd, 'go'), '');

      expect(moved).toMatchObject({ from: 'gamma', to: 'files', error: null });
      expect(result.result).toBe('Done.');
      expect(await ownerOf(session)).not.toBe('gamma');
      expect(readFileSync(join(cwd, 'runs'), 'utf8').trim().split('\n')).toHaveLength(1);
      expect(String(model.requests.at(-1)?.rawBody)).toMatch(/outcome (is )?unknown/i);
    });

    test('one that waits goes on by itself when a Worker is back, with the command that had gone on', async () => {
      const { session, cwd } = given('Patient.');

      await start('gamma', 'gamma');
      writeFileSync(join(cwd, 'go'), '');
      const result = await resultOf(session);

      expect(result.result).toBe('Done.');
      expect(await ownerOf(session)).toBe('gamma');
      expect(readFileSync(join(cwd, 'runs'), 'utf8').trim().split('\n')).toHaveLength(1);
      expect(String(model.requests.at(-1)?.rawBody)).toContain('went');
    });
  });
});

interface Begun {
  readonly session: SessionStore;
  readonly cwd: string;
}

function environmentOf(host: string, workspace: string): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: join(root, host),
    EVERLOOP_HOME: join(root, host, 'home'),
    EVERLOOP_HOST: host,
    EVERLOOP_WORKSPACE: workspace,
    EVERLOOP_STORE: postgres.url,
    TEMPORAL_ADDRESS: temporalAddress(),
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: 'key',
  };
}

/** Resolves when it serves its workspace. */
async function start(name: string, workspace: string): Promise<HostProcess> {
  mkdirSync(join(root, name, 'home'), { recursive: true });
  const known = new Set((await client.store.workers?.list())?.map(({ workerId }) => workerId));
  const host = new HostProcess(environmentOf(name, workspace));
  hosts.set(name, host);
  await until(async () => {
    const workers = (await client.store.workers?.list()) ?? [];
    return workers.find((worker) => worker.host === name && !known.has(worker.workerId));
  });
  return host;
}

async function begin(prompt: string, workspace: string): Promise<Begun> {
  const cwd = join(root, prompt.replace('.', ''));
  mkdirSync(cwd);
  const placed = { ...client, config: { ...client.config, workspace } };
  const request = { serve: 'background', persistent: true } as const;
  const session = await create(placed, request, { sessionId: null, cwd });
  const message = {
    id: randomUUID(),
    content: prompt,
    submittedAt: new Date().toISOString(),
    options: {
      ...RUN_OPTIONS,
      model: 'claude-sonnet-4-6',
      permissionMode: 'bypassPermissions' as const,
    },
  };
  await connected.agent.submit(session, message, { isLast: true });
  return { session, cwd };
}

const ownerOf = async (session: SessionStore): Promise<string> =>
  (await session.currentLease())?.owner.host ?? 'nobody';

const move = (session: SessionStore, to: string) =>
  operate((operator) =>
    moveSessions(
      {
        type: 'workspace',
        action: 'move',
        selectors: [session.meta.sessionId],
        to,
        force: false,
        json: true,
      },
      operator,
    ),
  );

/** The lines that a command wrote. */
async function operate(act: (operator: Operator) => Promise<number>): Promise<readonly unknown[]> {
  const written = new WrittenText();
  await asOperator(client, new OutputStream(written.stream), act);
  return written.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

async function resultOf(session: SessionStore): Promise<QueryResult> {
  for await (const { entry } of session.log.follow(null, AbortSignal.timeout(PATIENCE_MS))) {
    if (entry.type === 'query_ended') return entry.result;
  }
  throw new Error(`Session ${session.meta.sessionId} did not end within ${PATIENCE_MS} ms.`);
}

async function until<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + PATIENCE_MS; Date.now() < deadline;) {
    const seen = await look();
    if (seen !== undefined) return seen;
    await pause(100);
  }
  const said = [...hosts].map(([name, host]) => `${name}: ${host.said}`).join('\n');
  throw new Error(`It did not come within ${PATIENCE_MS} ms. The hosts said: ${said}`);
}
