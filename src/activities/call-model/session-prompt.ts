import { createHash } from 'node:crypto';
import type { RunOptions } from '../../transcript/message';
import type { ConversationStart } from '../deps';
import type { QueryCall } from '../query-call';

/** What the conversation begins with: made by the session's first request, then always the stored one, so that
 *  every request has the same prefix. Another system prompt is another beginning. */
export async function sessionPrompt({
  session,
  deps,
  options,
}: QueryCall): Promise<ConversationStart> {
  const { store, lease } = session;
  const name = startName(options);
  const known = session.starts.get(name) ?? (await store.readDocument(name));
  if (isStart(known)) {
    session.starts.set(name, known);
    return known;
  }
  const { cwd, workspace } = store.meta;
  const made: ConversationStart = {
    ...(await deps.surroundings.conversationStart({
      cwd,
      options,
      model: options.model,
      now: deps.now(),
    })),
    ...(workspace !== undefined && { host: lease.owner.host }),
  };
  await store.writeDocument(lease, name, made);
  session.starts.set(name, made);
  return made;
}

/** Name of the document that keeps what a conversation with these options began with. */
export const startName = (
  options: Pick<RunOptions, 'systemPrompt' | 'appendSystemPrompt'>,
): string => `start-${digest([options.systemPrompt, options.appendSystemPrompt])}`;

const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);

const isStart = (document: unknown): document is ConversationStart =>
  typeof document === 'object' && document !== null && 'system' in document;
