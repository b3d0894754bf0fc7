import { join } from 'node:path';
import { isBackgroundQueue } from '../../temporal/task-queue';
import type { ToolContext } from '../../tools/tool';
import type { RunOptions } from '../../transcript/message';
import type { QueryCall } from '../query-call';
import { askSmallModel } from '../small-model';
import { todosFileOf } from '../todos-file';
import { grantsOf } from './grants';

/** What a tool is told of the place it works in. `callName` names its private folder. */
export async function toolContext(
  query: QueryCall,
  call: Pick<ToolContext, 'workingDirectory' | 'filesSeen' | 'attempt'> & {
    readonly callName: string;
  },
): Promise<ToolContext> {
  const { session, attempt, options } = query;
  const { store } = session;
  const { callName, ...given } = call;
  const { directories } = await grantsOf(session);
  const { sessionId, cwd, taskQueue } = store.meta;
  const roots = [cwd, ...options.additionalDirectories, ...directories];
  const sandbox = await query.deps.surroundings.sandbox?.({
    ...query.place,
    sessionId,
    isBackground: isBackgroundQueue(taskQueue),
    roots,
    readable: (['calls', 'shells', 'tool-results'] as const).map((name) => store.folderPath(name)),
  });
  return {
    ...given,
    roots,
    ...(sandbox && { sandbox }),
    // Made by the tools that keep something there: most do not.
    callFolder: join(await store.folder('calls'), callName),
    shellsFolder: store.folderPath('shells'),
    todosFile: todosFileOf(query),
    askSmallModel: (question, signal) => askSmallModel(query, question, signal),
    signal: AbortSignal.any([attempt.stop, attempt.forgotten]),
    workerGone: attempt.over,
    onProgress: ({ text, bytes }) => attempt.report?.(progressOf(text, bytes, options)),
  };
}

/** Output is as telling as input: where people should not see that, its length has to do. */
function progressOf(
  text: string,
  bytes: number | undefined,
  { uiDetail }: Pick<RunOptions, 'uiDetail'>,
): string {
  const size = bytes === undefined ? '' : `${bytes} bytes of output`;
  if (uiDetail !== undefined) return size;
  const lastLine = text.trimEnd().split('\n').at(-1) ?? '';
  return [size, lastLine].filter((part) => part !== '').join(' · ');
}
