import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { costOf } from '../../src/loop/price-table';
import { costOfQuery, Tally } from '../../src/loop/tally';
import { loadOwnPrices } from '../../src/prices/own-prices';
import { reply, usageOf } from '../loop/builders';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), 'everloop-prices-'));
});
afterEach(() => rm(home, { recursive: true }));

const given = (text: string) => writeFile(path.join(home, 'prices.json'), text);
const million = usageOf({ input_tokens: 1_000_000, cache_read_input_tokens: 1_000_000 });

test('without a file the built-in table counts', () => {
  expect(loadOwnPrices(home).costOf('claude-sonnet-4-5', million)).toBeUndefined();
});

test('a model of the file has its price, also under a dated name; the others have that of the table', async () => {
  await given('{"date":"2026-01-31","models":{"claude-next":{"input":10,"output":50}}}');

  const prices = loadOwnPrices(home);

  expect(prices.asOf).toBe('2026-01-31');
  expect(prices.costOf('claude-next-20260131', million)).toBeCloseTo(11);
  expect(prices.costOf('claude-sonnet-4-5', million)).toBeUndefined();
});

test('a query adds up replies by the own price and by the table', async () => {
  await given('{"date":"2026-01-31","models":{"claude-next":{"input":10,"output":50}}}');
  const own = loadOwnPrices(home).priced(reply({ model: 'claude-next', usage: million }));
  const usual = reply({ model: 'claude-sonnet-4-5', usage: million });
  if (own.type !== 'reply') throw new Error('The reply is gone.');

  const tally = [own, own, usual].reduce(
    (sum, each) => Tally.after(sum, { type: 'assistant', reply: each }),
    Tally.start(0),
  );

  expect(costOfQuery(tally)).toBeCloseTo(22 + costOf('claude-sonnet-4-5', million));
});

test.each([
  ['not json', 'is not JSON'],
  ['{"models":{}}', 'date'],
  ['{"date":"2026-01-31","models":{"a":{"input":-1,"output":2}}}', '0 or more'],
  ['{"date":"2026-01-31","models":{"a":{"input":1,"ouput":2}}}', 'ouput'],
])('%s is refused by name', async (text, named) => {
  await given(text);

  expect(() => loadOwnPrices(home)).toThrow(named);
  expect(() => loadOwnPrices(home)).toThrow('prices.json');
});
