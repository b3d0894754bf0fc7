import type { LiveBlock } from './screen-item';

/** The growing block after a raw stream event of the Messages API; null: none grows. */
export function growLive(live: LiveBlock | null, event: unknown): LiveBlock | null {
  if (!isObject(event)) return live;
  switch (event['type']) {
    case 'message_start':
    case 'content_block_stop':
    case 'message_stop':
      return null;
    case 'content_block_start':
      return begin(event['content_block']);
    case 'content_block_delta':
      return live === null ? null : { ...live, text: live.text + deltaText(event['delta']) };
    default:
      return live;
  }
}

function begin(block: unknown): LiveBlock | null {
  if (!isObject(block)) return null;
  const { type, text, thinking, name } = block;
  if (type === 'text') return { type, text: typeof text === 'string' ? text : '' };
  if (type === 'thinking') return { type, text: typeof thinking === 'string' ? thinking : '' };
  if (type === 'tool_use') return { type, text: typeof name === 'string' ? name : '' };
  return null;
}

/** Of a call's input nothing is shown before it is whole. */
function deltaText(delta: unknown): string {
  if (!isObject(delta)) return '';
  const { type, text, thinking } = delta;
  if (type === 'text_delta' && typeof text === 'string') return text;
  return type === 'thinking_delta' && typeof thinking === 'string' ? thinking : '';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
