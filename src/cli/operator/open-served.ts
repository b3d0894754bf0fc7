import type { SessionStore } from '../../transcript/store';
import { ensureBackgroundWorker } from '../background';
import { CliError } from '../cli-error';
import { isServed } from '../serve-session';
import type { SessionHost } from '../session-host';

/** Opens a session of the store and sees to it that its Workflows hear what they are told. One whose own process has
 *  gone is cared for by the background Worker. Fails: CliError when no such session is known. */
export async function openServed(host: SessionHost, sessionId: string): Promise<SessionStore> {
  const store = await host.store.openSession(sessionId);
  if (store === undefined) {
    throw new CliError(`No session has the id ${sessionId}. List them: everloop ls`);
  }
  if (!(await isServed(host, store))) await ensureBackgroundWorker(host);
  return store;
}
