import type { ContentBlock, ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { TranscriptRecord } from '../src/transcript/record';

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** What was said and done, oldest first, without what differs between two runs of the same work: names of folders,
 *  hosts and shells, instants, durations. */
export function conversationOf(
  records: readonly TranscriptRecord[],
  folder: string,
): readonly string[] {
  return records.flatMap((record) => {
    if (record.type !== 'user' && record.type !== 'assistant') return [];
    const { role, content } = record.message;
    const blocks: readonly (ContentBlock | ContentBlockParam)[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    return blocks.map((block) =>
      `${role} ${wordsOf(block)}`
        .replaceAll(folder, 'FOLDER')
        .replace(/\/\w+\/home\//g, '/HOST/home/')
        .replace(/bash_[0-9a-f]{8}/g, 'SHELL')
        .replace(UUID, 'ID')
        .replace(/\d+/g, '#'),
    );
  });
}

function wordsOf(block: ContentBlock | ContentBlockParam): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'tool_use') return `calls ${block.name} ${JSON.stringify(block.input)}`;
  if (block.type !== 'tool_result') return block.type;
  return `${block.is_error === true ? 'error' : 'result'} ${JSON.stringify(block.content)}`;
}
