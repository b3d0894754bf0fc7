/** The demo did not show what it promises. `message` says what was seen, and where to look. */
export class DemoFailure extends Error {
  override readonly name = 'DemoFailure';
}
