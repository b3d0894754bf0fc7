import { COLLECTED_KINDS } from '../../../src/transcript/collection';
import type { FileState } from '../../../src/transcript/file-history';
import type { LogEntry } from '../../../src/transcript/session-log';
import type { UserRecord } from '../../../src/transcript/record';
import type { SessionStore } from '../../../src/transcript/store';
import * as build from '../builders';
import type { Given } from './given';

const FUTURE = '2999-01-01T00:00:00.000Z';
const PAST = '2001-01-01T00:00:00.000Z';
const INTENT = { tool: 'Edit', attempt: 1, at: '2026-11-21T10:00:00.000Z' };

/** A session of two turns that changed a file twice, and ended; a call of a third turn has a result that the
 *  conversation does not have yet. */
async function workedSession({ session, lease }: Given) {
  const [prompt, first, second] = build.chainOf(3) as [UserRecord, UserRecord, UserRecord];
  await session.append(lease, 'turns', [prompt, first, second]);
  const contents: FileState[] = [];
  for (const text of ['as it was', 'once changed', 'twice changed']) {
    contents.push({ digest: await session.kept.put(Buffer.from(text)), mode: 0o644 });
  }
  const calls = [prompt, first].map(({ uuid }, index) => ({ id: `call-${index}`, recordId: uuid }));
  for (const [index, call] of calls.entries()) {
    await session.ledger.recordIntent(lease, call, INTENT);
    const [before = null, after = null] = contents.slice(index);
    const change = { path: '/w/file', root: '/w', before, after, madeFolder: null };
    await session.ledger.recordChange(lease, call, change);
    const record = index === 0 ? first : second;
    await session.ledger.recordResult(lease, call, { record, isError: false });
  }
  const pending = { id: 'pending', recordId: second.uuid };
  await session.ledger.recordIntent(lease, pending, INTENT);
  await session.ledger.recordResult(lease, pending, build.callResult('not chained'));
  const failure = { status: 529, error: 'overloaded', at: INTENT.at };
  await session.ledger.recordFailure(lease, 'model', failure);
  await session.log.append(lease, [started('q'), build.retry(1), build.queryEnded()]);
  await session.log.append(lease, [started('unfinished')]);
  await session.putRewind({ leaf: first.uuid, end: second.uuid, usedBy: null });
  await session.writeDocument(lease, 'totals', { usd: 1 });
  return { contents, calls, pending };
}

const started = (queryId: string): LogEntry => ({
  type: 'query_started',
  queryId,
  promptId: queryId,
  init: {
    cwd: '/w',
    model: 'm',
    permissionMode: 'default',
    tools: [],
    slashCommands: [],
    apiKeySource: 'none',
  },
});

/** All that a session goes on from. */
async function whatGoesOn(session: SessionStore): Promise<unknown> {
  const leaf = await session.lastLeaf();
  return {
    leaf,
    chain: leaf && (await session.chain(leaf)),
    rewind: await session.findRewind(),
    totals: await session.readDocument('totals'),
    tracked: await session.ledger.trackedFiles(),
  };
}

async function logged(session: SessionStore): Promise<readonly LogEntry[]> {
  const entries: LogEntry[] = [];
  for await (const { entry } of session.log.read()) entries.push(entry);
  return entries;
}

export function describeCollection(given: Given): void {
  describe('collection', () => {
    const all = { kinds: COLLECTED_KINDS };

    test('a session goes on from the same after everything old was collected', async () => {
      const { contents, calls, pending } = await workedSession(given);
      const { session, lease } = given;
      const other = await given.elsewhere();
      const before = await whatGoesOn(other);
      const result = (await other.ledger.find(pending))?.result;

      const collected = await session.collect({ ...all, lease, before: FUTURE });

      expect(collected.ledger.items).toBe(5);
      expect(collected.log.items).toBe(3);
      expect(collected.checkpoints.items).toBe(2);
      // As they are kept, which may be more than the contents have.
      expect(collected.checkpoints.bytes).toBeGreaterThanOrEqual(21);
      for (const one of [session, other, await given.elsewhere()]) {
        expect(await whatGoesOn(one)).toEqual(before);
        expect(await one.ledger.find(calls[0]!)).toBeUndefined();
        expect((await one.ledger.find(pending))?.result).toEqual(result);
        expect(await one.ledger.failures('model')).toEqual([]);
        expect(await logged(one)).toEqual([started('unfinished')]);
        expect(await one.kept.get(contents[2]!.digest)).toBeDefined();
        expect(await one.kept.get(contents[0]!.digest)).toBeUndefined();
      }
    });

    test('what comes after it is written and read as ever, contents that went before too', async () => {
      const { contents } = await workedSession(given);
      const first = await given.elsewhere();
      await given.session.collect({ ...all, lease: given.lease, before: FUTURE });

      const lease = await first.acquireLease(build.owner('second'), build.dead);
      await first.log.append(lease, [build.retry(7)]);
      await first.ledger.recordIntent(lease, { id: 'new', recordId: 'r' }, INTENT);
      await first.kept.put(Buffer.from('as it was'));

      const seen = await given.elsewhere();
      expect(await logged(seen)).toEqual([started('unfinished'), build.retry(7)]);
      expect(await seen.ledger.find({ id: 'new', recordId: 'r' })).toEqual({ intent: INTENT });
      expect((await seen.kept.get(contents[0]!.digest))?.toString()).toBe('as it was');
    });

    test('a look says what would go, and changes nothing', async () => {
      await workedSession(given);
      const before = [await given.session.ledger.events(), await logged(given.session)];

      const looked = await given.session.collect({ ...all, lease: null, before: FUTURE });

      expect([await given.session.ledger.events(), await logged(given.session)]).toEqual(before);
      const done = await given.session.collect({ ...all, lease: given.lease, before: FUTURE });
      expect(done).toEqual(looked);
      expect(looked.ledger.bytes).toBeGreaterThan(100);
    });

    test('what is not old stays, and each kind goes alone', async () => {
      await workedSession(given);
      const { session, lease } = given;
      const none = { items: 0, bytes: 0 };

      const nothing = await session.collect({ ...all, lease, before: PAST });
      const log = await session.collect({ kinds: ['log'], lease, before: FUTURE });

      expect(nothing).toEqual({ ledger: none, log: none, checkpoints: none });
      expect(log).toMatchObject({ ledger: none, log: { items: 3 }, checkpoints: none });
    });

    test('whoever has lost the lease collects nothing', async () => {
      await workedSession(given);
      const other = await given.elsewhere();
      await other.acquireLease(build.owner('second'), build.dead);
      const before = [await other.ledger.events(), await logged(other)];

      const late = given.session.collect({
        kinds: ['ledger', 'log'],
        lease: given.lease,
        before: FUTURE,
      });

      await expect(late).rejects.toMatchObject({ code: 'lease_stale' });
      expect([await other.ledger.events(), await logged(other)]).toEqual(before);
    });
  });
}
