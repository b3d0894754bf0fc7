import { writeTodos } from '../../../src/tools/todo-list';
import { Conversation } from './conversation';

let talk: Conversation;
beforeEach(async () => (talk = await Conversation.begin()));
afterEach(() => talk.end());

const todos = (content: string) => ({
  type: 'tool_use',
  id: 'toolu_1',
  name: 'TodoWrite',
  input: { todos: [{ content, status: 'pending', activeForm: content }] },
});

/** How many turns pass until the next reminder; each reply is two records. */
async function turnsUntilReminder(): Promise<number> {
  for (let turn = 1; turn <= 30; turn++) {
    const { message } = talk.reply({ type: 'text', text: 'first block' });
    const second = talk.reply({ type: 'text', text: 'second block' });
    talk.chain[talk.chain.length - 1] = {
      ...second,
      message: { ...second.message, id: message.id },
    };
    if ((await talk.endTurn()).length > 0) return turn;
  }
  throw new Error('No reminder came in 30 turns.');
}

test('it comes at the tenth turn without the list, then after ten more', async () => {
  expect(await turnsUntilReminder()).toBe(10);
  expect(await turnsUntilReminder()).toBe(10);
});

test('a use of the list begins the count again, and the reminder shows the list', async () => {
  for (let turn = 0; turn < 5; turn++) talk.reply();
  talk.reply(todos('paint the shed'));
  for (let turn = 0; turn < 9; turn++) talk.reply();
  expect(await talk.endTurn()).toEqual([]);
  talk.reply();

  const [reminder] = await talk.endTurn();

  expect(reminder?.type).toBe('todo_reminder');
  expect(reminder?.text).toContain('- [pending] paint the shed');
});

test('without TodoWrite on offer, and for sub-agents, there is none', async () => {
  for (let turn = 0; turn < 20; turn++) talk.reply();

  expect(await talk.endTurn({ offeredTools: ['Read'] })).toEqual([]);
  expect(await talk.endTurn({ isMainThread: false })).toEqual([]);
});

test('a list that a compaction has taken out of the context is shown all the same', async () => {
  await writeTodos(talk.facts().todosFile, [
    { content: 'mend the roof', status: 'in_progress', activeForm: 'Mending the roof' },
  ]);
  for (let turn = 0; turn < 10; turn++) talk.reply();

  const [reminder] = await talk.endTurn();

  expect(reminder?.text).toContain('- [in_progress] mend the roof');
});
