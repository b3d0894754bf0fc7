import { Conversation } from './conversation';

let talk: Conversation;
beforeEach(async () => (talk = await Conversation.begin()));
afterEach(() => talk.end());

const on = (now: string) => talk.endTurn({ hosts: { now, began: 'alpha' } });

test('another host is told once, also when the session goes to and fro', async () => {
  expect(await on('alpha')).toEqual([]);
  const [there] = await on('beta');
  expect(await on('beta')).toEqual([]);
  const [back] = await on('alpha');
  const [again] = await on('beta');

  expect(there).toMatchObject({ type: 'host_change', keys: ['beta'] });
  expect(there?.text).toContain('beta, before on alpha');
  expect(back?.text).toContain('alpha, before on beta');
  expect(again?.keys).toEqual(['beta']);
  expect(await on('beta')).toEqual([]);
});

test('where there is but one host, nothing is told', async () => {
  expect(await talk.endTurn({ hosts: null })).toEqual([]);
});
