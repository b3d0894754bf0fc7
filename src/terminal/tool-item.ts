import type { ToolResultBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { TranscriptRecord } from '../transcript/record';
import type { ToolItem } from './screen-item';

export function toolItem(block: {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}): ToolItem {
  return {
    type: 'tool',
    toolUseId: block.id,
    name: block.name,
    input: block.input,
    state: 'asked',
    startedAt: null,
    endedAt: null,
    output: '',
    diff: [],
    subCalls: [],
  };
}

type Result = Pick<ToolItem, 'state' | 'output' | 'diff'>;

/** What a record says of calls: their results, by id. */
export function withResults(record: TranscriptRecord): readonly (readonly [string, Result])[] {
  if (record.type !== 'user' || typeof record.message.content === 'string') return [];
  const diff = diffOf(record.toolUseResult);
  return record.message.content.flatMap((block) =>
    block.type === 'tool_result' ? [[block.tool_use_id, resultOf(block, diff)] as const] : [],
  );
}

function resultOf({ content, is_error }: ToolResultBlockParam, diff: readonly string[]): Result {
  return { state: is_error === true ? 'failed' : 'done', output: outputOf(content), diff };
}

function outputOf(content: ToolResultBlockParam['content']): string {
  if (content === undefined || typeof content === 'string') return content ?? '';
  return content
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .join('\n');
}

/** Lines of `structuredPatch`, as Edit and Write report them; a hunk after the first begins with its place. */
function diffOf(structured: unknown): readonly string[] {
  if (typeof structured !== 'object' || structured === null) return [];
  if (!('structuredPatch' in structured) || !Array.isArray(structured.structuredPatch)) return [];
  return structured.structuredPatch.flatMap((hunk: unknown, index) => {
    if (typeof hunk !== 'object' || hunk === null || !('lines' in hunk)) return [];
    const lines = Array.isArray(hunk.lines) ? hunk.lines.map(String) : [];
    return index === 0 ? lines : [' …', ...lines];
  });
}
