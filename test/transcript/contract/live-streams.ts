import * as build from '../builders';
import type { Given } from './given';

export function describeLiveStreams(given: Given): void {
  describe('live streams', () => {
    const event = (index: number) => ({ event: { index }, blocks: 0 });

    test('a follower gets every delta from the beginning to the end', async () => {
      const live = await given.session.log.openLive(given.lease, 'stream');
      live.write(event(0));
      const other = await given.elsewhere();
      const following = build.take(other.log.followLive(live.name, given.abort.signal), 1_000);
      await build.take(given.session.log.followLive(live.name, given.abort.signal), 1);

      for (let index = 1; index < 100; index += 1) live.write(event(index));
      await live.close();

      const seen = await following;
      expect(seen.length === 0 || seen.length === 100).toBe(true);
      expect(seen).toEqual(seen.map((_, index) => event(index)));
    });

    test('a follower that is there at the close gets the rest', async () => {
      const live = await given.session.log.openLive(given.lease, 'stream');
      live.write(event(0));
      const following = given.session.log.followLive(live.name, given.abort.signal);
      await following.next();

      live.write(event(1));
      await live.close();

      expect(await build.take(following, 10)).toEqual([event(1)]);
    });

    test('a stream that is gone yields nothing', async () => {
      const live = await given.session.log.openLive(given.lease, 'stream');
      live.write(event(0));
      await live.close();

      expect(
        await build.take(given.session.log.followLive(live.name, given.abort.signal), 1),
      ).toEqual([]);
    });

    test('streams of a lost holder end when the next one takes over', async () => {
      const live = await given.session.log.openLive(given.lease, 'stream');
      live.write(event(0));
      const second = await given.elsewhere();
      const following = second.log.followLive(live.name, given.abort.signal);
      await following.next();

      await second.acquireLease(build.owner('second'), build.dead);

      expect(await following.next()).toEqual({ done: true, value: undefined });
    });
  });
}
