const LONGEST_MESSAGE = 1_000;
const LONGEST_STACK = 4_000;
const MOST_CAUSES = 5;

/** Cuts what an error says to a size that Event History can take: the server refuses a failure that is too large,
 *  and the Activity would be tried again for ever. The error keeps its class, and with it what it means. */
export function limitFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return cut(String(error), LONGEST_MESSAGE);
  let current = error;
  for (let depth = 0; depth <= MOST_CAUSES; depth += 1) {
    shorten(current, 'message', LONGEST_MESSAGE);
    shorten(current, 'stack', LONGEST_STACK);
    if (!(current.cause instanceof Error)) return error;
    if (depth === MOST_CAUSES) current.cause = undefined;
    else current = current.cause;
  }
  return error;
}

/** Some errors of the platform have these as getters. */
function shorten(error: Error, name: 'message' | 'stack', most: number): void {
  const text = error[name];
  if (text === undefined || text.length <= most) return;
  Object.defineProperty(error, name, { value: cut(text, most), configurable: true });
}

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most)}…`;
