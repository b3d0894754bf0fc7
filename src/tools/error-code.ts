/** Code of a system error ("ENOENT"), or the text of any other value. Asks no `instanceof`: under some test
 *  runners and loaders Node's errors come from another realm. */
export function errorCode(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'code' in error) return String(error.code);
  return String(error);
}
