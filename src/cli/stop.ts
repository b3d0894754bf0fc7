import { endShells } from '../tools/shell/background-shell';
import type { InboxMessage } from '../transcript/message';
import type { Command } from './command';
import type { OpenSession } from './session-request';
import type { Surroundings } from './surroundings';

/** Stops what the session does, its background shells too, and drops the messages that wait: else it would go on with
 *  the next of them. It stays resumable. Fails: when it is unknown. */
export async function stop(
  { sessionId }: Extract<Command, { type: 'stop' }>,
  deps: Pick<Surroundings, 'stdout' | 'cwd'> & { readonly openSession: OpenSession },
): Promise<number> {
  const connection = await deps.openSession({
    choice: { type: 'attach', sessionId },
    serve: 'background',
    persistent: true,
    cwd: deps.cwd,
  });
  const dropped = await connection.stop();
  // The session may have closed long ago, and its shells stayed.
  const shells = await endShells(connection.store.folderPath('shells'));
  await connection.close();
  const ended = shells === 0 ? '' : ` Background shells that were ended: ${shells}.`;
  await deps.stdout.write(
    `Session ${sessionId} was told to stop.${ended} Go on with it: everloop -p --resume ${sessionId} "…"\n`,
  );
  for (const message of dropped) {
    await deps.stdout.write(`Dropped before it was answered: ${beginningOf(message)}\n`);
  }
  return 0;
}

const SHOWN_CHARS = 200;

function beginningOf({ content }: InboxMessage): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}
