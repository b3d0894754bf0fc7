import type { TranscriptRecord } from './record';

const INTERRUPTION = '[Request interrupted by user';

/** Whether somebody wrote it, not the engine or a tool. */
export function isPrompt(record: TranscriptRecord): boolean {
  if (record.type === 'attachment') return record.attachment.type === 'queued_message';
  if (record.type !== 'user' || record.isMeta === true || record.isCompactSummary === true) {
    return false;
  }
  const { content } = record.message;
  if (typeof content === 'string') return !content.startsWith(INTERRUPTION);
  return !content.some(
    (block) =>
      block.type === 'tool_result' ||
      (block.type === 'text' && block.text.startsWith(INTERRUPTION)),
  );
}
