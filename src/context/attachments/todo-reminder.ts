import type { TranscriptRecord } from '../../transcript/record';
import { readTodos } from '../../tools/todo-list';
import { toReminder } from '../reminder';
import type { TurnAttachment } from './turn-attachment';
import type { TurnFacts } from './turn-facts';

const TODO_TOOLS: readonly string[] = ['TodoWrite', 'TaskCreate', 'TaskUpdate'];
/** Replies without a look at the list, and between two reminders (spec/loop 8.6). */
const QUIET_TURNS = 10;
const LIST_CHARS = 4_000;

export async function attachTodoReminder(facts: TurnFacts): Promise<TurnAttachment | null> {
  const { chain, offeredTools, isMainThread } = facts;
  if (!isMainThread || !offeredTools.includes('TodoWrite')) return null;
  const last = chain.findLastIndex((record) => usesTodos(record) || isReminder(record));
  if (countReplies(chain.slice(last + 1)) < QUIET_TURNS) return null;
  return {
    type: 'todo_reminder',
    text: toReminder(
      `The todo list has not been touched for a while. If it helps with the work at hand, bring it up to date with TodoWrite, or clear it when it is out of date; if not, go on without it. Do not mention this to the user.${await currentList(facts)}`,
    ),
    filesSeen: [],
    keys: [],
  };
}

const isReminder = ({ everloop }: TranscriptRecord): boolean =>
  everloop?.attached?.source === 'todo_reminder';

const usesTodos = (record: TranscriptRecord): boolean =>
  record.type === 'assistant' &&
  record.message.content.some(
    (block) => block.type === 'tool_use' && TODO_TOOLS.includes(block.name),
  );

/** A reply is written as several records, and an API error is none. */
function countReplies(records: readonly TranscriptRecord[]): number {
  const ids = records.flatMap((record) =>
    record.type === 'assistant' && record.isApiErrorMessage !== true ? [record.message.id] : [],
  );
  return new Set(ids).size;
}

const LIST = 'TodoWrite';

/** As the last call left it. What a compaction has taken out of the context is in the file still. */
async function currentList({ chain, todosFile }: TurnFacts): Promise<string> {
  const calls = chain.flatMap((record) =>
    record.type === 'assistant'
      ? record.message.content.filter((block) => block.type === 'tool_use' && block.name === LIST)
      : [],
  );
  const input: unknown = calls.flatMap((call) => ('input' in call ? [call.input] : [])).at(-1);
  const todos = input === undefined ? await readTodos(todosFile) : todosOf(input);
  const lines = todos.map((todo) => `- [${todo.status}] ${todo.content}`);
  if (lines.length === 0) return '';
  return `\n\nThe list as it stands:\n${lines.join('\n').slice(0, LIST_CHARS)}`;
}

interface Todo {
  readonly status: string;
  readonly content: string;
}

/** The model wrote it: what is no todo is passed over. */
function todosOf(input: unknown): readonly Todo[] {
  const todos = isObject(input) ? input['todos'] : undefined;
  return Array.isArray(todos) ? todos.filter(isTodo) : [];
}

const isTodo = (value: unknown): value is Todo =>
  isObject(value) && typeof value['status'] === 'string' && typeof value['content'] === 'string';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
