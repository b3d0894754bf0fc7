import { join } from 'node:path';
import type { QueryCall } from './query-call';

/** Where the conversation of a query keeps its todo list. A sub-agent's is its own. */
export function todosFileOf({
  session,
  options,
  promptId,
}: Pick<QueryCall, 'session' | 'options' | 'promptId'>): string {
  const name = options.subAgent === undefined ? 'main' : promptId;
  return join(session.store.folderPath('todos'), `${name}.json`);
}
