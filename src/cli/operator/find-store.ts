import type { SessionStore } from '../../transcript/store';
import { CliError } from '../cli-error';
import { isUuid } from '../option-values';
import type { SessionHost } from '../session-host';
import { selectSession } from './select-sessions';

/** The one session that a selector names. The server is asked only if it is no id.
 *  Fails: CliError when it names none, or several. */
export async function findStore(host: SessionHost, selector: string): Promise<SessionStore> {
  const { store } = host;
  const sessionId = isUuid(selector) ? selector.toLowerCase() : await idOf(host, selector);
  const session = await store.openSession(sessionId);
  if (session !== undefined) return session;
  throw new CliError(`No session has the id ${sessionId}. List them: everloop ls`);
}

async function idOf(host: SessionHost, selector: string): Promise<string> {
  const connected = await host.connect();
  try {
    const world = { store: host.store, client: connected.client, among: 'any' } as const;
    return (await selectSession(selector, world)).sessionId;
  } finally {
    await connected.close();
  }
}
