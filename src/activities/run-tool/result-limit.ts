import { join } from 'node:path';
import { disk } from '../../disk/disk';
import type { ToolUseRef } from '../../loop/context';
import { persistedOutput } from '../../loop/prepare/persisted-output';
import type { ToolResultContent } from '../../transcript/record';
import type { SessionStore } from '../../transcript/store';
import type { Tool } from '../../tools/tool';

/** No result may be longer than this, whatever its tool says (spec/loop 3.3). Characters. */
const LONGEST_RESULT_CHARS = 50_000;
const NO_OUTPUT = '(no output)';

/** Keeps a result small enough for the context: a long text goes into a file of the session, and the model gets
 *  its size, its place and its beginning. Images stay. Empty output becomes a short note. */
export async function limitResult(
  store: SessionStore,
  call: ToolUseRef,
  tool: Tool,
  content: ToolResultContent,
): Promise<ToolResultContent> {
  if (typeof content !== 'string') return limitTexts(store, call, tool, content);
  if (content.trim() === '') return NO_OUTPUT;
  // Read says itself how much it shows: a stored copy of what was just read would be read again.
  if (tool.resultLimitChars === Infinity) return content;
  if (content.length <= Math.min(tool.resultLimitChars, LONGEST_RESULT_CHARS)) return content;
  const path = join(await store.folder('tool-results'), `${call.recordId}.txt`);
  await disk.writeFile(path, content, { mode: 0o600 });
  return persistedOutput(content, path);
}

/** Texts among images count together; the images stay. */
async function limitTexts(
  store: SessionStore,
  call: ToolUseRef,
  tool: Tool,
  content: Exclude<ToolResultContent, string>,
): Promise<ToolResultContent> {
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  if (texts.length === 0) return content;
  const text = texts.join('\n');
  const limited = await limitResult(store, call, tool, text);
  if (limited === text || typeof limited !== 'string') return content;
  return [{ type: 'text', text: limited }, ...content.filter(({ type }) => type !== 'text')];
}
