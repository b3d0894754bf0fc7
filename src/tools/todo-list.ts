import path from 'node:path';
import { z } from 'zod';
import { disk } from '../disk/disk';
import { makeFolder, replaceFile } from '../transcript/files/atomic-write';

export const Todo = z.strictObject({
  content: z.string().min(1).describe('What is to be done: "Run the tests"'),
  status: z.enum(['pending', 'in_progress', 'completed']),
  activeForm: z.string().min(1).describe('The same while it is being done: "Running the tests"'),
});
export type Todo = z.infer<typeof Todo>;

const StoredList = z.array(Todo);

/** The list of a conversation; empty: there is none, or what is there is no list. */
export async function readTodos(file: string): Promise<readonly Todo[]> {
  try {
    return StoredList.parse(JSON.parse(await disk.readFile(file, 'utf8')));
  } catch {
    return [];
  }
}

export async function writeTodos(file: string, todos: readonly Todo[]): Promise<void> {
  await makeFolder(path.dirname(file));
  await replaceFile(file, JSON.stringify(todos));
}
