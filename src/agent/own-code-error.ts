/** A file with code of the user's cannot be used. The message names the file, what is wrong and the cure. */
export class OwnCodeError extends Error {
  override readonly name = 'OwnCodeError';
}
