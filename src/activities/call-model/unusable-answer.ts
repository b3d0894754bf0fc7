export const ANYWAY = 'Check ANTHROPIC_BASE_URL and what lies between this machine and the API.';

/** Something answered that is no answer of the API. `cure` ends the message. */
export class UnusableAnswer extends Error {
  override readonly name = 'UnusableAnswer';

  constructor(
    message: string,
    /** HTTP status; null: it broke off later. */
    readonly status: number | null,
    /** true: what stands in the way may go away. */
    readonly mayPass: boolean,
  ) {
    super(message);
  }
}

/** The one that an error of the API's client tells of; null: none. */
export function unusableAnswerIn(error: unknown): UnusableAnswer | null {
  if (error instanceof UnusableAnswer) return error;
  return error instanceof Error && error.cause instanceof UnusableAnswer ? error.cause : null;
}
