import { createHash } from 'node:crypto';
import type { NewMessage } from '../../agent/agent-hooks';
import type { InboxMessage } from '../../transcript/message';
import type { QueryCall } from '../query-call';

/** What hooks bring as messages of the session. Their ids come from the attempt's key: a repeated attempt gives the
 *  same ones. */
export function broughtMessages(
  { attempt, promptId, options, facts }: QueryCall,
  contents: readonly NewMessage[],
): readonly InboxMessage[] {
  return contents.map((content, index) => ({
    id: uuidFrom(`${promptId}:${attempt.key}:${index}`),
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
    submittedAt: facts.timestamp,
    options,
    origin: 'agent',
  }));
}

/** A UUID of version 8: its bits are a digest. */
function uuidFrom(name: string): string {
  const hex = createHash('sha256').update(name).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
  ];
  return [...parts, hex.slice(20, 32)].join('-');
}
