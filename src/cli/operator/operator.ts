import type { SessionMeta } from '../../transcript/store';
import type { OutputStream } from '../output/output-stream';
import type { Connected, SessionHost } from '../session-host';
import { selectSession, selectSessions } from './select-sessions';

/** What a command for operators has: a connection to the server, and the sessions that its arguments name. */
export interface Operator {
  readonly host: SessionHost;
  readonly connected: Connected;
  readonly stdout: OutputStream;
  /** Fails: CliError when a selector names none. */
  readonly sessions: (
    selectors: readonly string[],
    among?: 'open' | 'any',
  ) => Promise<readonly SessionMeta[]>;
  /** Fails: CliError when the selector names none, or several. */
  readonly session: (selector: string, among?: 'open' | 'any') => Promise<SessionMeta>;
}

/** Connects, lets the command act, and leaves, whatever happens. */
export async function asOperator(
  host: SessionHost,
  stdout: OutputStream,
  act: (operator: Operator) => Promise<number>,
): Promise<number> {
  const connected = await host.connect();
  const world = { store: host.store, client: connected.client };
  try {
    return await act({
      host,
      connected,
      stdout,
      sessions: (selectors, among = 'open') => selectSessions(selectors, { ...world, among }),
      session: (selector, among = 'any') => selectSession(selector, { ...world, among }),
    });
  } finally {
    await connected.close();
  }
}
