import type { HookAnswer } from '../hooks/hook-answer';
import type { ServedSession } from './served-sessions';

/** What hooks in the background have said since the last request. A Worker that dies takes them along: such hooks
 *  promise nothing to anybody who waits. */
const waiting = new WeakMap<ServedSession, string[]>();

/** An answer that comes late decides nothing any more; what it tells is kept. */
export function keepLateAnswer(
  session: ServedSession,
  { context, systemMessage }: Pick<HookAnswer, 'context' | 'systemMessage'>,
): void {
  const texts = [systemMessage, context].filter((text) => text !== null);
  if (texts.length > 0) waiting.set(session, [...(waiting.get(session) ?? []), ...texts]);
}

export function takeLateAnswers(session: ServedSession): readonly string[] {
  const texts = waiting.get(session) ?? [];
  waiting.delete(session);
  return texts;
}
