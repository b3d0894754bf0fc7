import { timeAxis } from '../../src/session-page/time-axis';

test('time is even where nothing is cut short', () => {
  const axis = timeAxis([0, 4_000, 10_000], 0);

  expect(axis.cuts).toEqual([]);
  expect(axis.place(5_000)).toBeCloseTo(axis.place(10_000) / 2);
  expect(axis.ticks.map(({ text }) => text)).toEqual(['0', '2 s', '4 s', '6 s', '8 s']);
});

test('a wait of days leaves room for the seconds around it', () => {
  const day = 86_400_000;
  const axis = timeAxis([0, 2_000, 2 * day, 2 * day + 3_000], 0);

  expect(axis.cuts.map(({ ms }) => ms)).toEqual([2 * day - 2_000]);
  expect(axis.place(2_000)).toBeGreaterThan(30);
  expect(axis.place(2 * day + 3_000) - axis.place(2 * day)).toBeGreaterThan(50);
});

test('places stay within the picture, and in order', () => {
  const axis = timeAxis([5_000, 6_000, 900_000, 901_000], 0);

  const places = [0, 5_000, 5_500, 6_000, 300_000, 900_000, 901_000, 2_000_000].map((ms) =>
    axis.place(ms),
  );
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places.every((place) => place >= 0 && place <= 100)).toBe(true);
});

test('a single moment has an axis as well', () => {
  expect(timeAxis([7], 7).place(7)).toBe(0);
});
