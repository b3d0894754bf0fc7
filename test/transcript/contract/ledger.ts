import * as build from '../builders';
import type { Given } from './given';

export function describeLedger(given: Given): void {
  describe('the ledger', () => {
    const call = { id: 'call', recordId: 'record' };
    const intent = { tool: 'Bash', attempt: 1, at: '2026-11-21T10:00:00.000Z' };

    test('an unknown call has no entry', async () => {
      expect(await given.session.ledger.find(call)).toBeUndefined();
    });

    test('intent and result are found by another instance', async () => {
      const result = build.callResult('x'.repeat(50_000));
      await given.session.ledger.recordIntent(given.lease, call, intent);
      const other = await given.elsewhere();
      expect(await other.ledger.find(call)).toEqual({ intent });

      await given.session.ledger.recordResult(given.lease, call, result);

      expect(await other.ledger.find(call)).toEqual({ intent, result });
    });

    test('a call is intended once', async () => {
      await given.session.ledger.recordIntent(given.lease, call, intent);

      const again = given.session.ledger.recordIntent(given.lease, call, { ...intent, attempt: 2 });

      await expect(again).rejects.toMatchObject({ code: 'intent_exists' });
      expect(await given.session.ledger.find({ ...call, recordId: 'another' })).toBeUndefined();
    });

    test('the first result counts and is returned', async () => {
      const first = build.callResult('first');
      await given.session.ledger.recordIntent(given.lease, call, { ...intent, durable: false });
      await given.session.ledger.recordResult(given.lease, call, first);

      const returned = await given.session.ledger.recordResult(
        given.lease,
        call,
        build.callResult('second'),
      );

      expect(returned).toEqual(first);
      expect((await given.session.ledger.find(call))?.result).toEqual(first);
    });

    test('a call may end without an intent', async () => {
      const result = build.callResult('denied');

      await given.session.ledger.recordResult(given.lease, call, result);

      expect(await given.session.ledger.find(call)).toEqual({ intent: null, result });
    });

    test('API failures are counted by key, over holders', async () => {
      const failure = { status: 529, error: 'overloaded', at: '2026-11-21T10:00:00.000Z' };
      await given.session.ledger.recordFailure(given.lease, 'model', failure);
      const second = await given.elsewhere();
      const next = await second.acquireLease(build.owner('second'), build.dead);

      await second.ledger.recordFailure(next, 'model', { ...failure, status: 500 });

      const statuses = (await second.ledger.failures('model')).map((one) => one.status);
      expect(statuses).toEqual([529, 500]);
      expect(await second.ledger.failures('other')).toEqual([]);
    });
  });
}
