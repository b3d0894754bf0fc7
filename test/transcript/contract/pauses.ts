import type { Given } from './given';

export function describePauses(given: Given): void {
  describe('pauses of a provider', () => {
    test('everybody hears of a pause at once, and nobody of another provider', async () => {
      const { pauses } = await given.place.open();
      expect(await pauses.remainingMs('a')).toBe(0);

      await given.store.pauses.pause('a', 600_000);

      // A notice takes a moment on its way.
      while ((await pauses.remainingMs('a')) === 0);
      expect(await pauses.remainingMs('a')).toBeLessThanOrEqual(600_000);
      expect(await pauses.remainingMs('a')).toBeGreaterThan(300_000);
      expect(await pauses.remainingMs('b')).toBe(0);
    });

    test('the longest counts, and one that is over is none', async () => {
      const { pauses } = given.store;
      await pauses.pause('a', 600_000);
      await pauses.pause('a', 1);
      await pauses.pause('b', 1);

      expect(await pauses.remainingMs('a')).toBeGreaterThan(300_000);
      while ((await pauses.remainingMs('b')) > 0);
    });
  });
}
