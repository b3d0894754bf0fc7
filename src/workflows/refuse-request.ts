import { ApplicationFailure } from '@temporalio/workflow';
import type { SubmitRequest } from './interface';

/** A rollover carries the inbox, and a query may be signalled 10,000 times: half of what the server takes, and far
 *  fewer messages. JSON characters. */
const FULL_INBOX_CHARS = 1_000_000;

/** Fails: `Session.BadMessage`, `Session.Full` (final). */
export function refuseRequest(request: SubmitRequest, inbox: readonly SubmitRequest[]): void {
  const { messageId } = request;
  if (typeof messageId !== 'string' || messageId.length === 0 || messageId.length > 100) {
    throw ApplicationFailure.nonRetryable(
      `A message needs an id of 1 to 100 characters, got ${JSON.stringify(messageId).slice(0, 120)}.`,
      'Session.BadMessage',
    );
  }
  if (JSON.stringify([...inbox, request]).length <= FULL_INBOX_CHARS) return;
  throw ApplicationFailure.nonRetryable(
    `${inbox.length} messages wait for the session, and it can keep no more. Let it answer some of them, or stop it; then send the message again.`,
    'Session.Full',
  );
}

/** Of a session that has nothing to change. */
export const nothingRuns = (): ApplicationFailure =>
  ApplicationFailure.nonRetryable(
    'The session is doing nothing, and each message brings its own model, mode and limits. Give them with the next one: everloop -p --resume ID --model … "…"',
    'Session.NothingRuns',
  );
