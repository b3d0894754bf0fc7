import { redact } from '../redact/redact';

const LONGEST_MESSAGE = 1_000;
const LONGEST_STACK = 4_000;
const MOST_CAUSES = 5;

/** Makes what an error says fit for Event History: without secrets, and of a size that it can take, as the server
 *  refuses a failure that is too large, and the Activity would be tried again for ever. The error keeps its class, and
 *  with it what it means. */
export function limitFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return fit(String(error), LONGEST_MESSAGE);
  let current = error;
  for (let depth = 0; depth <= MOST_CAUSES; depth += 1) {
    tidy(current, 'message', LONGEST_MESSAGE);
    tidy(current, 'stack', LONGEST_STACK);
    if (!(current.cause instanceof Error)) return error;
    if (depth === MOST_CAUSES) current.cause = undefined;
    else current = current.cause;
  }
  return error;
}

/** Some errors of the platform have these as getters. */
function tidy(error: Error, name: 'message' | 'stack', most: number): void {
  const text = error[name];
  const shown = text === undefined ? undefined : fit(text, most);
  if (shown === text) return;
  Object.defineProperty(error, name, { value: shown, configurable: true });
}

/** Cut twice: what is far behind is not looked at, and half a secret is none. */
function fit(text: string, most: number): string {
  const shown = redact(text.slice(0, 2 * most));
  return shown.length <= most ? shown : `${shown.slice(0, most)}…`;
}
