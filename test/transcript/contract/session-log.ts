import * as build from '../builders';
import type { Given } from './given';

export function describeSessionLog(given: Given): void {
  describe('the session log', () => {
    const numbers = async (count: number, from: string | null = null, of = given.session) =>
      (await build.take(of.log.follow(from, given.abort.signal), count)).map(({ entry }) =>
        build.attemptOf(entry),
      );

    test('followers get what was there and what comes, in order', async () => {
      await given.session.log.append(given.lease, [build.retry(1), build.retry(2)]);
      const following = numbers(4, null, await given.elsewhere());

      await given.session.log.append(given.lease, [build.retry(3)]);
      await given.session.log.append(given.lease, [build.retry(4)]);

      expect(await following).toEqual([1, 2, 3, 4]);
    });

    test('a cursor goes on behind its entry, in another instance too', async () => {
      await given.session.log.append(
        given.lease,
        [1, 2, 3].map((n) => build.retry(n)),
      );
      const [first] = await build.take(given.session.log.follow(null, given.abort.signal), 1);

      const rest = await numbers(2, first!.cursor, await given.elsewhere());

      expect(rest).toEqual([2, 3]);
    });

    test('the end of a log is a cursor, of an empty one too', async () => {
      const atStart = await given.session.log.end();
      await given.session.log.append(given.lease, [build.retry(1)]);
      const afterFirst = await given.session.log.end();
      await given.session.log.append(given.lease, [build.retry(2), build.queryEnded()]);

      expect(await numbers(2, atStart)).toEqual([1, 2]);
      expect(await numbers(1, afterFirst)).toEqual([2]);
    });

    test('an unknown cursor starts over', async () => {
      await given.session.log.append(given.lease, [build.retry(1), build.retry(2)]);

      expect(await numbers(2, 'of another log:17')).toEqual([1, 2]);
    });

    test('an abort ends a waiting follower', async () => {
      const following = build.take(given.session.log.follow(null, given.abort.signal), 1);

      given.abort.abort();

      expect(await following).toEqual([]);
    });

    test('a follower lives through a change of holders and misses nothing', async () => {
      const second = await given.elsewhere();
      const following = numbers(40, null, await given.elsewhere());

      for (let n = 0; n < 20; n += 1) await given.session.log.append(given.lease, [build.retry(n)]);
      const next = await second.acquireLease(build.owner('second'), build.dead);
      for (let n = 20; n < 40; n += 1) await second.log.append(next, [build.retry(n)]);

      expect(await following).toEqual(Array.from({ length: 40 }, (_, n) => n));
    });

    test('entries larger than any buffer arrive whole', async () => {
      const large = 'x'.repeat(300_000);
      await given.session.log.append(given.lease, [build.retry(1, large), build.retry(2)]);

      const [first, second] = await build.take(
        given.session.log.follow(null, given.abort.signal),
        2,
      );

      expect(first!.entry).toEqual(build.retry(1, large));
      expect(build.attemptOf(second!.entry)).toBe(2);
    });
  });
}
