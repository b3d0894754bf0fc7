/** The local Temporal server could not be found, started or stopped. `message` names what failed, the value seen, and the cure. */
export class ServerError extends Error {
  override readonly name = 'ServerError';

  constructor(
    readonly code: ServerErrorCode,
    message: string,
    options?: { readonly cause?: unknown },
  ) {
    super(message, options);
  }
}

export type ServerErrorCode =
  /** No usable `temporal` binary: every place that was searched is in the message. */
  | 'cli_not_found'
  /** A port that was asked for by number is in use. */
  | 'port_taken'
  /** The server ended early, or did not answer in time; the message holds the end of its log. */
  | 'start_failed'
  /** The server did not end, not even by SIGKILL. */
  | 'stop_failed'
  /** Another process has been starting or stopping the server for too long. */
  | 'lock_busy';
