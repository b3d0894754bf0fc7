import { listOpenSessions } from '../../adoption/open-sessions';
import { queryWorkflowId } from '../../loop/workflow-id';
import { sessionWorkflowId } from '../../transcript/place';
import type { SessionStore } from '../../transcript/store';
import { CliError } from '../cli-error';
import type { Connected } from '../session-host';

/** What a query does would be lost, or mixed with what is given back.
 *  Fails: CliError while a query of the session runs. */
export async function requireIdle(
  connected: Pick<Connected, 'agent' | 'client'>,
  session: SessionStore,
  place: string,
): Promise<void> {
  const { sessionId } = session.meta;
  if (!(await isAtWork(connected, session, place))) return;
  throw new CliError(
    `Session ${sessionId} is at work. Wait for it (everloop attach ${sessionId}) or stop it (everloop stop ${sessionId}), then try again.`,
  );
}

/** Whether a query of the session runs. Asks the server and the log, no Worker. */
export async function isAtWork(
  { agent, client }: Pick<Connected, 'agent' | 'client'>,
  session: SessionStore,
  place: string,
): Promise<boolean> {
  const { sessionId } = session.meta;
  const open = new Set((await listOpenSessions(client, place)).get(sessionId));
  for await (const { entry } of session.log.read()) {
    if (entry.type === 'query_started') open.add(entry.promptId);
    // Its Workflow may take a moment more to close.
    if (entry.type === 'query_ended') open.delete(entry.promptId);
  }
  const ofSession = sessionWorkflowId(place, sessionId);
  const queries = [...open].map((promptId) => queryWorkflowId(ofSession, promptId));
  // One that was terminated told nobody, and the server's list may be a moment old.
  const running = await Promise.all(queries.map((id) => agent.isQueryRunning(id)));
  return running.includes(true);
}
