import type { FileChange } from '../../../src/transcript/file-history';
import * as build from '../builders';
import type { Given } from './given';

export function describeFileHistory(given: Given): void {
  describe('the history of files', () => {
    const call = { id: 'call', recordId: 'record' };
    const other = { id: 'call', recordId: 'other' };
    const change = (after: string, path = '/w/a'): FileChange => ({
      path,
      root: '/w',
      before: null,
      after: { digest: after, mode: 0o644 },
      madeFolder: null,
    });
    const found = (at: string, digest: string) => ({
      at,
      files: [{ path: '/w/a', state: { digest, mode: 0o600 } }],
    });

    test('the first change of a call to a file counts, and is found by another instance', async () => {
      await given.session.ledger.recordChange(given.lease, call, change('first'));
      await given.session.ledger.recordChange(given.lease, call, change('second'));
      await given.session.ledger.recordChange(given.lease, call, change('third', '/w/b'));

      const tracked = await (await given.elsewhere()).ledger.trackedFiles();

      expect([...tracked].map(([path, { state }]) => [path, state?.digest])).toEqual([
        ['/w/a', 'first'],
        ['/w/b', 'third'],
      ]);
    });

    test('a look tells what a file is now; the first look at a moment counts', async () => {
      await given.session.ledger.recordChange(given.lease, call, change('first'));
      await given.session.ledger.recordFound(given.lease, found('message', 'second'));
      await given.session.ledger.recordFound(given.lease, found('message', 'third'));

      const tracked = await (await given.elsewhere()).ledger.trackedFiles();

      expect(tracked.get('/w/a')).toEqual({ root: '/w', state: { digest: 'second', mode: 0o600 } });
    });

    test('events come in the order in which they were written', async () => {
      const intent = { tool: 'Edit', attempt: 1, at: '2026-11-21T10:00:00.000Z', durable: false };
      const { ledger } = given.session;
      await ledger.recordIntent(given.lease, call, intent);
      await ledger.recordChange(given.lease, call, change('first'));
      await ledger.recordResult(given.lease, call, build.callResult('done'));
      await ledger.recordFound(given.lease, found('message', 'second'));
      await ledger.recordResult(given.lease, other, build.callResult('denied'));

      const events = await (await given.elsewhere()).ledger.events();

      expect(events).toEqual([
        { type: 'intent', call, tool: 'Edit' },
        { type: 'change', call, change: change('first') },
        { type: 'result', call },
        { type: 'found', found: found('message', 'second') },
        { type: 'result', call: other },
      ]);
    });

    test('a holder that was fenced off keeps nothing', async () => {
      const second = await given.elsewhere();
      await second.acquireLease(build.owner('second'), build.dead);

      const late = given.session.ledger.recordChange(given.lease, call, change('late'));

      await expect(late).rejects.toMatchObject({ code: 'lease_stale' });
      expect((await second.ledger.trackedFiles()).size).toBe(0);
    });

    test('content is kept by what is in it', async () => {
      const bytes = Buffer.from([0, 255, 13, 10, 0]);

      const digest = await given.session.kept.put(bytes);
      const again = await given.session.kept.put(bytes);

      expect(again).toBe(digest);
      expect(await (await given.elsewhere()).kept.get(digest)).toEqual(bytes);
      expect(await given.session.kept.get('0'.repeat(64))).toBeUndefined();
    });

    test('anybody may set where the conversation goes on; the last one counts', async () => {
      expect(await given.session.findRewind()).toBeUndefined();
      await given.session.putRewind({ leaf: 'one', end: 'two', usedBy: null });

      await (await given.elsewhere()).putRewind({ leaf: null, end: 'two', usedBy: 'message' });

      expect(await given.session.findRewind()).toEqual({
        leaf: null,
        end: 'two',
        usedBy: 'message',
      });
    });
  });
}
