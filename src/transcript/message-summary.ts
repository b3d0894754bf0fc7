import { preview } from '../redact/preview';
import type { InboxMessage } from './message';

/** First words of a message as the Temporal UI may show them. undefined: its sender wants none shown, or it has none. */
export function messageSummary({
  content,
  options,
}: Pick<InboxMessage, 'content' | 'options'>): string | undefined {
  if (options.uiDetail !== undefined) return undefined;
  const text =
    typeof content === 'string'
      ? content
      : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join(' ');
  const summary = preview(text);
  return summary === '' ? undefined : summary;
}
