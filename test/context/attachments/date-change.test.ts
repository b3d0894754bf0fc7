import { Conversation } from './conversation';

let talk: Conversation;
beforeEach(async () => (talk = await Conversation.begin()));
afterEach(() => talk.end());

const at = (now: string) => talk.endTurn({ now: new Date(now) });

test('a new day is told once, and so is the one after it', async () => {
  expect(await at('2026-11-21T23:59:59.000Z')).toEqual([]);
  const [first] = await at('2026-11-22T00:00:01.000Z');
  expect(await at('2026-11-22T12:00:00.000Z')).toEqual([]);
  const [second] = await at('2026-11-23T00:00:01.000Z');

  expect(first).toMatchObject({ type: 'date_change', keys: ['2026-11-22'] });
  expect(first?.text).toContain('today is 2026-11-22');
  expect(second?.keys).toEqual(['2026-11-23']);
});

test('after a compaction it is told against the day of the start again', async () => {
  await at('2026-11-22T00:00:01.000Z');
  talk.chain = [];

  expect(await at('2026-11-22T13:00:00.000Z')).toHaveLength(1);
});
