import { Eta, leftText } from '../../src/progress/eta';
import { Pace } from '../../src/progress/pace';

/** Work of which `each` ms bring one more, seen as it gets done. */
function after(done: number, each: number): { readonly eta: Eta; readonly nowMs: number } {
  const eta = new Eta(0);
  for (let count = 1; count <= done; count += 1) eta.saw(count, count * each);
  return { eta, nowMs: done * each };
}

describe('what is left', () => {
  test('is foretold by the pace so far', () => {
    const { eta, nowMs } = after(20, 1_000);

    expect(eta.leftMs(100, nowMs)).toBe(80_000);
  });

  test('is not foretold before five seconds, a fiftieth of the work, or fewer than run side by side', () => {
    expect(after(4, 1_000).eta.leftMs(100, 4_000)).toBeNull();
    expect(after(10, 1_000).eta.leftMs(1_000, 10_000)).toBeNull();

    const sideBySide = new Eta(0, 5);
    sideBySide.saw(4, 10_000);
    expect(sideBySide.leftMs(20, 10_000)).toBeNull();
  });

  test('follows the newer half when the pace changes', () => {
    const { eta } = after(50, 100);
    for (let count = 51; count <= 100; count += 1) eta.saw(count, 5_000 + (count - 50) * 1_000);

    expect(eta.leftMs(200, 55_000)).toBe(100_000);
  });

  test('grows while nothing gets done, and is nothing at the end', () => {
    const { eta } = after(10, 1_000);

    expect(eta.leftMs(20, 60_000)).toBeGreaterThan(eta.leftMs(20, 10_000) ?? Infinity);
    expect(after(20, 1_000).eta.leftMs(20, 20_000)).toBe(0);
  });

  test('stays true over more parts than are remembered', () => {
    const { eta, nowMs } = after(5_000, 10);

    expect(eta.leftMs(10_000, nowMs)).toBeCloseTo(50_000, -3);
  });

  test.each([
    [2_000, 'nearly done'],
    [43_000, 'about 45 s left'],
    [12.4 * 60_000, 'about 12 min left'],
    [2.4 * 3_600_000, 'about 2.5 h left'],
  ])('is said as exactly as it is known: %d ms', (leftMs, text) => {
    expect(leftText(leftMs)).toBe(text);
  });
});

describe('lines of a log', () => {
  test('come every ten seconds while nobody knows how far it is', () => {
    const pace = new Pace();

    const due = [0, 1, 9, 10, 15, 20].filter((second) => pace.isDue(second * 1_000, null));

    expect(due).toEqual([0, 10, 20]);
  });

  test('come for every twentieth of the work, but not twice in a second', () => {
    const pace = new Pace();
    const steps = [0, 0.04, 0.05, 0.09, 0.1, 0.5].map((part, index) => ({
      part,
      atMs: index * 600,
    }));

    const due = steps.filter(({ part, atMs }) => pace.isDue(atMs, part));

    expect(due.map(({ part }) => part)).toEqual([0, 0.05, 0.1]);
  });
});
