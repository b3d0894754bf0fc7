import { z } from 'zod';
import { readTodos, Todo, writeTodos } from './todo-list';
import { defineTool, ToolError } from './tool';

const TodoWriteInput = z.strictObject({
  todos: z.array(Todo).max(200).describe('The whole list as it is now'),
});

export const todoWriteTool = defineTool<z.infer<typeof TodoWriteInput>>({
  name: 'TodoWrite',
  description: `Keeps the todo list of this conversation: what the task needs, what is under way, what is done. It outlives restarts.
- Use it for tasks of three or more steps, or when the user gives several things to do; leave it for what is done in one or two steps.
- Every call replaces the whole list. Mark a todo in_progress before you begin it and completed as soon as it is done; have one in_progress at a time.
- What failed or is only half done is not completed. Remove what is no longer wanted.`,
  inputSchema: TodoWriteInput,
  // The same list again.
  effect: 'rerun',
  summarize: ({ todos }) => {
    const done = todos.filter(({ status }) => status === 'completed').length;
    const current = todos.find(({ status }) => status === 'in_progress');
    return `${done}/${todos.length}${current === undefined ? '' : ` · ${current.activeForm}`}`;
  },
  async call({ todos }, { todosFile }) {
    if (todosFile === null) throw new ToolError('No todo list is kept here. Go on without one.');
    const oldTodos = await readTodos(todosFile);
    const isAllDone = todos.every(({ status }) => status === 'completed');
    await writeTodos(todosFile, isAllDone ? [] : todos);
    return {
      content: isAllDone
        ? 'The todo list is done and empty now.'
        : 'The todo list is kept. Go on with what is in progress, and keep the list up to date.',
      structured: { oldTodos, newTodos: todos },
    };
  },
});
