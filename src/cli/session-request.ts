import type { SessionChoice } from './command';
import type { SessionConnection } from './session-connection';

/** Which session a command wants to talk to, and how. */
export interface SessionRequest {
  readonly choice: SessionChoice | { readonly type: 'attach'; readonly sessionId: string };
  /** Who serves the session: a Worker in this process, or the host's background Worker. */
  readonly serve: 'foreground' | 'background';
  /** The command sends one message and leaves: the session ends with it. */
  readonly isOneShot?: boolean;
  readonly persistent: boolean;
  /** Working folder of a new session; absolute. */
  readonly cwd: string;
}

/** Fails: an Error for people when the session is unknown or no server can be reached. */
export type OpenSession = (request: SessionRequest) => Promise<SessionConnection>;
