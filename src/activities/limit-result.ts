import { ApplicationFailure } from '@temporalio/common';

/** Half of what the server takes. */
const LONGEST_RESULT_BYTES = 1024 ** 2;

/** Results hold ids and counters. One that is too large for the server would be refused, and the Activity tried
 *  again for ever: better it fails at once.
 *  Fails: `Activity.ResultTooLarge` (final). */
export function requireSmallResult<Result>(result: Result): Result {
  const bytes = Buffer.byteLength(JSON.stringify([result]));
  if (bytes <= LONGEST_RESULT_BYTES) return result;
  throw ApplicationFailure.nonRetryable(
    `The result has ${bytes} bytes; Event History takes at most ${LONGEST_RESULT_BYTES}.`,
    'Activity.ResultTooLarge',
  );
}
