// Needs: a build in dist/, a Temporal server (started by the run), Postgres; starts Worker processes and kills them.
import { readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { drainHost } from '../../src/cli/operator/drain-host';
import { listWorkspaces } from '../../src/cli/operator/list-workspaces';
import { moveSessions } from '../../src/cli/operator/move-sessions';
import { listSessions } from '../../src/cli/session-states';
import { queryWorkflowId } from '../../src/loop/workflow-id';
import { sessionWorkflowId } from '../../src/transcript/place';
import { go, HostsWorld, PATIENCE_MS, type Begun } from '../support/hosts-world';
import { call, calls, fileIn, heldCommand, says, text } from '../support/replies';
import { noPostgres } from '../transcript/postgres-server';
import { execute } from '../transcript/postgres-place';

let world: HostsWorld;
/** By prompt. */
const begun = new Map<string, Begun>();
/** Host that is frozen while its session streams. */
let frozen: string;

const given = (prompt: string): Begun => {
  const one = begun.get(prompt);
  if (one === undefined) throw new Error(`${prompt} was not begun.`);
  return one;
};

const begin = async (
  prompt: string,
  ...where: ['files' | 'gamma', 'foreground'?]
): Promise<Begun> => {
  const one = await world.begin(prompt, ...where);
  begun.set(prompt, one);
  return one;
};

const move = ({ session }: Begun, to: string) =>
  world.operate((operator) =>
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

const drain = (action: 'drain' | 'undrain', of: string, wait = false) =>
  world.operate((operator) =>
    drainHost({ type: 'workspace', action, of, wait, json: true }, operator),
  );

const workspaceOf = async ({ session }: Begun) =>
  (await world.client.store.openSession(session.meta.sessionId))?.meta.workspace;

const runsIn = ({ cwd }: Begun): number =>
  readFileSync(join(cwd, 'runs'), 'utf8').trim().split('\n').length;

const activitiesOf = async ({ session }: Begun, promptId: string) => {
  const { client } = world.connected;
  const { place } = world.client.store;
  const queryId = queryWorkflowId(sessionWorkflowId(place, session.meta.sessionId), promptId);
  const handle = client.workflow.getHandle(queryId);
  await handle.result();
  const { events } = await handle.fetchHistory();
  return {
    scheduled: (events ?? []).flatMap((event) => event.activityTaskScheduledEventAttributes ?? []),
    started: (events ?? []).flatMap((event) => event.activityTaskStartedEventAttributes ?? []),
    failed: (events ?? []).flatMap((event) => event.activityTaskFailedEventAttributes ?? []),
  };
};

const firstPromptOf = async ({ session }: Begun): Promise<string> => {
  for await (const { entry } of session.log.follow(null, AbortSignal.timeout(PATIENCE_MS))) {
    if (entry.type === 'query_ended') return entry.promptId;
  }
  throw new Error('The first query has not ended.');
};

/** The last request of a conversation. */
const lastSaid = (prompt: string): string =>
  String(world.model.requests.filter(({ rawBody }) => rawBody.includes(prompt)).at(-1)?.rawBody);

const describeIf = noPostgres === null ? describe : describe.skip;

describeIf(noPostgres ?? 'hosts that share a store', () => {
  // What takes half a minute by its own patience begins here for all, so that it passes once.
  beforeAll(async () => {
    world = await HostsWorld.begin((request, index) => {
      const { rawBody } = request;
      if (rawBody.includes('Stream.')) {
        return { content: [text('Almost'), { ...text(' done.'), hold: 'mid-stream' }] };
      }
      if (rawBody.includes('Steps.') && index !== 1 && index < 8) {
        return calls(call('Bash', { command: 'true' }));
      }
      if (index > 0) return says('Done.');
      if (!rawBody.includes('Delegated.')) return calls(heldCommand());
      return calls(call('Agent', { description: 'look around', prompt: 'Look around.' }));
    });
    await world.start('alpha', 'files');
    await Promise.all([world.start('beta', 'files'), world.start('gamma', 'gamma')]);
    for (const prompt of ['Moved.', 'Patient.', 'Stopped.', 'Delegated.']) {
      await begin(prompt, 'gamma');
    }
    await begin('Orphan.', 'gamma', 'foreground');
    await begin('Stream.', 'files');
    await world.model.waitUntilHeld('mid-stream', { timeoutMs: PATIENCE_MS });
    for (const [prompt, { cwd }] of begun) if (prompt !== 'Stream.') await fileIn(cwd, 'started');
    frozen = await world.ownerOf(given('Stream.'));
    world.hosts.get(frozen)?.freeze();
    await world.hosts.get('gamma')?.kill();
  }, PATIENCE_MS);

  afterAll(() => world.end());

  test('a host that hangs in mid-stream is replaced, and commits nothing when it is back', async () => {
    const one = given('Stream.');
    const isFrozen = async () => ((await world.ownerOf(one)) === frozen ? undefined : true);
    await world.until(isFrozen);
    world.model.release('mid-stream');
    const { result } = await world.resultOf(one);
    const owner = await world.ownerOf(one);
    const count = () =>
      execute(
        world.postgres.url,
        `SELECT count(*)::int FROM everloop.records WHERE session = '${one.session.meta.sessionId}'`,
      );
    const before = await count();

    world.hosts.get(frozen)?.thaw();
    await world.until(async () =>
      (await world.register.list()).find(({ host, silentMs }) => host === frozen && silentMs < 5e3),
    );
    const again = await world.resultOf(one, await world.say(one.session, 'Stream. Again.'));
    const after = await count();
    const told = lastSaid('Stream. Again.').split('runs on another machine').length - 1;

    expect(result).toContain('done.');
    expect(again.result).toContain('done.');
    expect(owner).not.toBe(frozen);
    // One prompt and the two blocks of its answer; then the same again. What the host wrote late would be beside them.
    expect(before).toEqual([{ count: 3 }]);
    expect(after).toEqual([{ count: 6 + told }]);
  });

  describe('when the only host of a workspace is lost, in mid-tool', () => {
    test('its sessions wait for it, and people see that they do', async () => {
      const waiting = ['Moved.', 'Patient.', 'Stopped.'].map(given);
      const statuses = await Promise.all(
        waiting.map((one) => world.until(() => world.parked(one))),
      );

      const [, gamma] = await world.operate((operator) => listWorkspaces({ json: true }, operator));
      const listed = await listSessions(world.client);

      expect(statuses.map(({ workspace }) => workspace)).toEqual(['gamma', 'gamma', 'gamma']);
      expect(gamma).toMatchObject({ workspace: 'gamma', workers: [], open: 5, drained: [] });
      const moved = listed.find(
        ({ sessionId }) => sessionId === given('Moved.').session.meta.sessionId,
      );
      expect(moved).toMatchObject({ status: 'awaiting-workspace' });
      expect(moved?.needs).toContain('gamma is gone since');
    });

    test('nobody is moved to where no Worker lives, or where the folder is not', async () => {
      const one = given('Moved.');
      renameSync(one.cwd, `${one.cwd}-away`);

      const [nobody] = await move(one, 'nowhere');
      const [nothing] = await move(one, 'files');
      renameSync(`${one.cwd}-away`, one.cwd);

      expect(JSON.stringify(nobody)).toContain('--force');
      expect(JSON.stringify(nothing)).toMatch(/is not there on (alpha|beta)/);
      expect(await workspaceOf(one)).toBe('gamma');
      expect(await world.parked(one)).toBeDefined();
    });

    test('one that is moved goes on there, with the call of unknown outcome, and is told of it', async () => {
      const one = given('Moved.');

      const [moved] = await move(one, 'files');
      const { result } = await world.resultOf(one);
      go(one);

      expect(moved).toMatchObject({ from: 'gamma', to: 'files', error: null });
      expect(result).toBe('Done.');
      expect(await world.ownerOf(one)).toMatch(/alpha|beta/);
      expect(runsIn(one)).toBe(1);
      expect(lastSaid('Moved.')).toMatch(/outcome (is )?unknown/i);
      expect(lastSaid('Moved.')).toContain('before on gamma');
    });

    test('of two who move one at once, one is told that the other was quicker', async () => {
      const one = given('Delegated.');

      const moves = await Promise.all([move(one, 'files'), move(one, 'files')]);
      const { result } = await world.resultOf(one);
      go(one);

      expect(moves.flat()).toContainEqual(expect.objectContaining({ error: null }));
      expect(result).toBe('Done.');
      expect(await workspaceOf(one)).toBe('files');
    });

    test('one that is stopped ends at once, though nobody serves its workspace', async () => {
      const one = given('Stopped.');
      const before = Date.now();

      await world.connected.agent.stop(one.session.meta.sessionId);
      const { terminal_reason: reason } = await world.resultOf(one);

      expect(reason).toBe('aborted_tools');
      // Half of what it takes to find out that nobody takes something.
      expect(Date.now() - before).toBeLessThan(15_000);
      go(one);
    });

    test('one of a command that was lost is moved as well', async () => {
      const one = given('Orphan.');

      const [moved] = await move(one, 'files');
      const { result } = await world.resultOf(one);
      go(one);

      expect(moved).toMatchObject({ error: null });
      expect(result).toBe('Done.');
      expect(runsIn(one)).toBe(1);
    });

    test('a host that is drained while it is away takes nothing when it is back, until that is ended', async () => {
      const one = given('Patient.');
      const [drained] = await drain('drain', 'gamma');
      const { workerId } = await world.start('gamma', 'gamma');
      await world.until(async () =>
        (await world.register.list()).find((two) => two.workerId === workerId && two.isDrained),
      );

      const stillParked = await world.parked(one);
      const listed = await listSessions(world.client);
      const [ended] = await drain('undrain', 'gamma');
      go(one);
      const { result } = await world.resultOf(one);

      expect(drained).toMatchObject({ host: 'gamma', workers: 0, heard: true });
      expect(stillParked).toBeDefined();
      expect(JSON.stringify(listed)).toContain('gamma is drained since');
      expect(ended).toMatchObject({ drained: false, workers: 1, heard: true });
      expect(result).toBe('Done.');
      expect(await world.ownerOf(one)).toBe('gamma');
      expect(runsIn(one)).toBe(1);
      expect(lastSaid('Patient.')).toContain('went');
    });
  });

  test('what runs on a host that is drained is finished there, and the next call runs at another one', async () => {
    const one = await begin('Drained.', 'files');
    await fileIn(one.cwd, 'started');
    const host = await world.ownerOf(one);

    const [drained] = await drain('drain', host);
    const [files] = await world.operate((operator) => listWorkspaces({ json: true }, operator));
    go(one);
    const { result } = await world.resultOf(one);
    const [empty] = await drain('drain', host, true);
    const other = await world.ownerOf(one);
    await drain('undrain', host);

    expect(drained).toMatchObject({ host, workers: 1, heard: true });
    expect(files).toMatchObject({ workspace: 'files', drained: [{ host }] });
    expect(empty).toMatchObject({ running: 0 });
    expect(result).toBe('Done.');
    expect(['alpha', 'beta']).toContain(other);
    expect(other).not.toBe(host);
    expect(lastSaid('Drained.')).toContain('went');
  });

  test('in a workspace of several hosts, a session stays with the one that serves it, after one refusal', async () => {
    const one = await begin('Steps.', 'files');
    const first = await world.resultOf(one);
    const host = await world.ownerOf(one);
    const more = await world.say(one.session, 'Go on.');
    const { result } = await world.resultOf(one, more);

    const queries = await Promise.all(
      [await firstPromptOf(one), more].map((promptId) => activitiesOf(one, promptId)),
    );
    const refused = queries.flatMap(({ failed }) => failed);
    const started = queries.flatMap((query) => query.started);

    expect([first.result, result]).toEqual(['Done.', 'Done.']);
    expect(await world.ownerOf(one)).toBe(host);
    expect(refused.length).toBeLessThanOrEqual(1);
    // Nine requests, seven tools, two ends.
    expect(started).toHaveLength(18 + refused.length);
    expect(started.map(({ lastFailure }) => lastFailure?.message ?? '')).not.toContainEqual(
      expect.stringContaining('is served by'),
    );
  });

  test('a session moves from a host that lives: after the call that runs, and when it is idle', async () => {
    const one = await begin('Living.', 'files');
    await fileIn(one.cwd, 'started');

    await move(one, 'gamma');
    const during = await world.ownerOf(one);
    go(one);
    const { result } = await world.resultOf(one);
    const there = await world.ownerOf(one);
    await move(one, 'files');
    const next = await world.resultOf(one, await world.say(one.session, 'Living still.'));

    expect(['alpha', 'beta']).toContain(during);
    expect([result, there]).toEqual(['Done.', 'gamma']);
    expect(lastSaid('Living.')).toContain('now runs on another machine: gamma');
    expect(next.result).toBe('Done.');
    expect(await world.ownerOf(one)).not.toBe('gamma');
    expect(runsIn(one)).toBe(1);
  });
});
