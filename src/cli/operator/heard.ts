import { setTimeout as pause } from 'node:timers/promises';
import { CliError } from '../cli-error';

/** A Worker that lives answers in milliseconds; one that replaces another, in seconds. */
const WITHIN_MS = 20_000;

/** What a session answers. Fails: CliError when nobody is there who could. */
export async function heard<Result>(sessionId: string, said: Promise<Result>): Promise<Result> {
  const given = new AbortController();
  const late = pause(WITHIN_MS, undefined, { signal: given.signal }).then(() => {
    throw new CliError(
      `Session ${sessionId} did not answer within ${WITHIN_MS / 1_000} s, and nothing was changed: nobody serves it. Serve it with everloop attach ${sessionId} or everloop worker, then try again.`,
    );
  });
  try {
    return await Promise.race([said, late]);
  } finally {
    late.catch(() => undefined);
    given.abort();
  }
}
