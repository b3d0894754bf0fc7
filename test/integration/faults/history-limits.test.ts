// Needs: nothing.
import { ApplicationFailure } from '@temporalio/common';
import { limitFailure } from '../../../src/activities/limit-failure';
import { requireSmallResult } from '../../../src/activities/limit-result';

const MEGABYTES = 'x'.repeat(3 * 2 ** 20);

test('an error of 3 MB enters Event History in its beginning, and means the same', () => {
  const cause = new TypeError(MEGABYTES);
  const failure = ApplicationFailure.nonRetryable(MEGABYTES, 'Store.Broken');
  Object.assign(failure, { cause });

  const limited = limitFailure(failure);

  expect(limited).toBe(failure);
  expect(limited).toMatchObject({ type: 'Store.Broken', nonRetryable: true, cause });
  expect(failure.message.length + String(failure.stack).length).toBeLessThan(6_000);
  expect(cause.message.length + String(cause.stack).length).toBeLessThan(6_000);
});

test('causes without end are cut off', () => {
  let error = new Error('first');
  for (let depth = 0; depth < 1_000; depth += 1) error = new Error(`${depth}`, { cause: error });

  limitFailure(error);

  let causes = 0;
  for (let at: unknown = error; at instanceof Error; at = at.cause) causes += 1;
  expect(causes).toBeLessThan(10);
});

test('what was thrown and is no error is cut, too', () => {
  expect(String(limitFailure(MEGABYTES)).length).toBeLessThan(1_100);
});

test('a result that Event History cannot take fails for good instead of for ever', () => {
  expect(() => requireSmallResult({ text: MEGABYTES })).toThrow(
    expect.objectContaining({ type: 'Activity.ResultTooLarge', nonRetryable: true }) as Error,
  );
});
