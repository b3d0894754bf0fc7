import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { AssistantRecord, TranscriptRecord } from '../transcript/record';
import type { ScreenItem } from './screen-item';
import { toolItem } from './tool-item';

/** What the screen shows of a record that is no prompt and no result of a call. */
export function itemsOfRecord(record: TranscriptRecord): readonly ScreenItem[] {
  switch (record.type) {
    case 'assistant':
      return itemsOfReply(record);
    case 'system':
      return record.subtype === 'compact_boundary'
        ? [{ type: 'notice', level: 'info', text: 'The conversation was compacted.' }]
        : [];
    case 'user': {
      const told = localAnswer(textOf(record.message.content));
      return told === null ? [] : [{ type: 'notice', level: 'info', text: told }];
    }
    case 'attachment':
      return [];
  }
}

function itemsOfReply({
  message,
  isApiErrorMessage,
  error,
}: AssistantRecord): readonly ScreenItem[] {
  return message.content.flatMap((block): readonly ScreenItem[] => {
    switch (block.type) {
      case 'text': {
        if (block.text.trim() === '') return [];
        // The engine's own answers are written in the same way, without an error.
        const isError = isApiErrorMessage === true && error !== undefined;
        if (isError) return [{ type: 'notice', level: 'error', text: block.text }];
        return [{ type: 'text', text: block.text }];
      }
      case 'thinking':
        return block.thinking.trim() === '' ? [] : [{ type: 'thinking', text: block.thinking }];
      case 'tool_use':
        return [toolItem(block)];
      case 'bash_code_execution_tool_result':
      case 'code_execution_tool_result':
      case 'container_upload':
      case 'redacted_thinking':
      case 'server_tool_use':
      case 'text_editor_code_execution_tool_result':
      case 'tool_search_tool_result':
      case 'web_fetch_tool_result':
      case 'web_search_tool_result':
        return [];
    }
  });
}

/** What a person wrote, if the record is that; else null. `typed`: as it was typed here, if it was. */
export function promptTextOf(record: TranscriptRecord, typed: string | null): string | null {
  if (record.type === 'attachment') {
    if (record.attachment.type !== 'queued_message') return null;
    return typed ?? shown(textOf(record.attachment.content));
  }
  if (record.type !== 'user' || record.isMeta === true || record.isCompactSummary === true)
    return null;
  const { content } = record.message;
  if (typeof content !== 'string' && content.some(({ type }) => type === 'tool_result'))
    return null;
  const text = textOf(content);
  if (localAnswer(text) !== null) return null;
  return typed ?? shown(text);
}

function textOf(content: string | readonly ContentBlockParam[]): string {
  if (typeof content === 'string') return content;
  return content
    .map((block) => (block.type === 'text' ? block.text : `[${block.type}]`))
    .filter((text) => !text.startsWith('<system-reminder>'))
    .join('\n');
}

/** Without what was added for the model alone. null: nothing is left. */
function shown(text: string): string | null {
  const own = text.replace(/<system-reminder>[^]*?<\/system-reminder>/g, '').trim();
  const command = /<command-name>\/?(?<name>[^<]*)<\/command-name>/.exec(own)?.groups?.['name'];
  if (command === undefined) return own === '' ? null : own;
  const args = /<command-args>(?<args>[^]*?)<\/command-args>/.exec(own)?.groups?.['args'] ?? '';
  return `/${command} ${args}`.trim();
}

/** What the engine answered itself, without the model. */
function localAnswer(text: string): string | null {
  const match = /<local-command-stdout>(?<told>[^]*?)<\/local-command-stdout>/.exec(text);
  return match?.groups?.['told'] ?? null;
}
