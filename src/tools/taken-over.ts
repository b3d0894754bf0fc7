/** Another attempt of the same call goes on with it: this one must not say what came of it. */
export class TakenOver extends Error {
  override readonly name = 'TakenOver';
}
