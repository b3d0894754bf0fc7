import { z } from 'zod';
import { defineTool, ToolError } from './tool';

/** Searches that one reply may make. */
const MOST_SEARCHES = 8;

/** The model searches while it writes: calls and results are blocks of its reply. Whether it may is asked before
 *  the request: it is offered where the permission rules or the mode allow it without a question. */
export const webSearchTool = defineTool<object>({
  name: 'WebSearch',
  description: 'Searches the web, and lets the model cite what it found. The API carries it out.',
  inputSchema: z.strictObject({}),
  effect: 'rerun',
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  serverTool: { type: 'web_search_20250305', name: 'web_search', max_uses: MOST_SEARCHES },
  summarize: () => '',
  call: () =>
    Promise.reject(
      new ToolError(
        'The API carries out searches. Use the tool web_search, and do not call it so.',
      ),
    ),
});
