import { readFile, writeFile } from 'node:fs/promises';
import { todoWriteTool } from '../../src/tools/todo-write';
import { readTodos, type Todo } from '../../src/tools/todo-list';
import { createWorkspace, textOf, type Workspace } from './tool-call';

let workspace: Workspace;
beforeEach(async () => (workspace = await createWorkspace()));
afterEach(() => workspace.remove());

const todo = (content: string, status: Todo['status'] = 'pending'): Todo => ({
  content,
  status,
  activeForm: `Doing: ${content}`,
});
const write = (...todos: readonly Todo[]) => workspace.call(todoWriteTool, { todos });
const kept = () => readTodos(workspace.context().todosFile ?? '');

test('each call replaces the list, and tells observers the one before', async () => {
  await write(todo('Paint'), todo('Dry'));

  const second = await write(todo('Paint', 'completed'), todo('Dry', 'in_progress'));

  expect(second.structured).toEqual({
    oldTodos: [todo('Paint'), todo('Dry')],
    newTodos: [todo('Paint', 'completed'), todo('Dry', 'in_progress')],
  });
  expect(await kept()).toEqual([todo('Paint', 'completed'), todo('Dry', 'in_progress')]);
});

test('a list that is done is empty', async () => {
  const result = await write(todo('Paint', 'completed'));

  expect(textOf(result)).toMatch(/done and empty/);
  expect(await kept()).toEqual([]);
});

test('a file that holds no list counts as none, and is replaced', async () => {
  await write(todo('Paint'));
  const { todosFile } = workspace.context();
  await writeFile(todosFile ?? '', '{"broken":');

  expect(await kept()).toEqual([]);
  const { structured } = await write(todo('Dry'));

  expect(structured).toMatchObject({ oldTodos: [] });
  expect(await readFile(todosFile ?? '', 'utf8')).toContain('Dry');
});

test.each([
  ['no status', { content: 'Paint', activeForm: 'Painting' }],
  ['another status', { ...todo('Paint'), status: 'maybe' }],
  ['no words', { ...todo('Paint'), content: '' }],
])('a todo with %s is refused', (_what, one) => {
  expect(todoWriteTool.inputSchema.safeParse({ todos: [one] }).success).toBe(false);
});

test('where no list is kept, the model is told to go on without one', async () => {
  const call = workspace.call(todoWriteTool, { todos: [] }, { todosFile: null });

  await expect(call).rejects.toThrow(/Go on without one/);
});

test('people see how far it is', () => {
  const todos = [todo('Paint', 'completed'), todo('Dry', 'in_progress'), todo('Hang up')];

  expect(todoWriteTool.summarize({ todos })).toBe('1/3 · Doing: Dry');
});
