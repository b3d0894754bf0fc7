import * as build from '../builders';
import type { Given } from './given';

export function describeLeases(given: Given): void {
  describe('leases', () => {
    test('the epoch grows with every holder', async () => {
      await given.session.releaseLease(given.lease);

      const next = await (await given.elsewhere()).acquireLease(build.owner('second'), build.alive);

      expect(next.epoch).toBe(given.lease.epoch + 1);
      expect(await given.session.currentLease()).toEqual(next);
    });

    test('whoever has looked sees what becomes of the lease afterwards', async () => {
      const other = await given.elsewhere();
      const seen = [await other.currentLease()];

      const next = await given.session.acquireLease(build.owner('second'), build.dead);
      seen.push(await other.currentLease());
      await given.session.releaseLease(next);
      seen.push(await other.currentLease());

      expect(seen).toEqual([given.lease, next, undefined]);
    });

    test('a living holder keeps the lease', async () => {
      const asked: string[] = [];
      const other = (await given.elsewhere()).acquireLease(
        build.owner('second'),
        async (holder) => {
          asked.push(holder.workerId);
          return true;
        },
      );

      await expect(other).rejects.toMatchObject({ code: 'lease_held' });
      expect(asked).toEqual(['first']);
      expect(await given.session.currentLease()).toEqual(given.lease);
    });

    test('nobody is asked when the lease was released', async () => {
      await given.session.releaseLease(given.lease);
      expect(await given.session.currentLease()).toBeUndefined();
      const isAlive = jest.fn(build.alive);

      await given.session.acquireLease(build.owner('first'), isAlive);

      expect(isAlive).not.toHaveBeenCalled();
    });

    test('releasing twice, or an old lease, changes nothing', async () => {
      await given.session.releaseLease(given.lease);
      const next = await given.session.acquireLease(build.owner('second'), build.alive);

      await given.session.releaseLease(given.lease);

      expect(await given.session.currentLease()).toEqual(next);
    });

    test('of ten who want it at once one gets it', async () => {
      await given.session.releaseLease(given.lease);
      const sessions = await Promise.all(Array.from({ length: 10 }, given.elsewhere));

      const outcomes = await Promise.allSettled(
        sessions.map((one, index) => one.acquireLease(build.owner(`w${index}`), build.alive)),
      );

      expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(1);
    });

    test('a fenced holder can write nothing, anywhere', async () => {
      await given.session.append(given.lease, 'before', [build.user(null)]);
      await given.session.writeDocument(given.lease, 'state', { by: 'first' });
      const second = await given.elsewhere();
      const taken = await second.acquireLease(build.owner('second'), build.dead);
      const call = { id: 'call', recordId: 'record' };
      const leaf = await second.lastLeaf();

      const attempts = [
        given.session.append(given.lease, 'late', [build.user(leaf)]),
        given.session.writeDocument(given.lease, 'state', { by: 'zombie' }),
        given.session.ledger.recordIntent(given.lease, call, { tool: 'Bash', attempt: 1, at: '' }),
        given.session.ledger.recordResult(given.lease, call, build.callResult('late')),
        given.session.ledger.recordFailure(given.lease, 'k', { status: 529, error: '', at: '' }),
        given.session.log.append(given.lease, [build.retry(1)]),
        given.session.log.openLive(given.lease, 'stream'),
      ];

      const outcomes = await Promise.allSettled(attempts);

      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'lease_stale' } });
      }
      expect(await second.lastLeaf()).toBe(leaf);
      expect(await second.readDocument('state')).toEqual({ by: 'first' });
      expect(await second.ledger.find(call)).toBeUndefined();
      await second.append(taken, 'late', [build.user(leaf)]);
    });

    test('a released lease writes nothing any more', async () => {
      await given.session.releaseLease(given.lease);

      const late = given.session.append(given.lease, 'late', [build.user(null)]);

      await expect(late).rejects.toMatchObject({ code: 'lease_stale' });
    });

    test('the next holder finds everything that the one before had reported', async () => {
      const records = build.chainOf(20);
      for (const record of records) await given.session.append(given.lease, record.uuid, [record]);
      const second = await given.elsewhere();

      await second.acquireLease(build.owner('second'), build.dead);

      expect(build.uuids(await second.chain(records.at(-1)!.uuid))).toEqual(build.uuids(records));
    });
  });
}
