import { endShells } from '../tools/shell/background-shell';
import type { Command } from './command';
import type { OpenSession } from './session-request';
import type { Surroundings } from './surroundings';

/** Stops what the session does, its background shells too. It stays resumable. Fails: when it is unknown. */
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
  await connection.interrupt();
  const shells = await endShells(connection.store.folderPath('shells'));
  await connection.close();
  const ended = shells === 0 ? '' : ` Background shells that were ended: ${shells}.`;
  await deps.stdout.write(
    `Session ${sessionId} was told to stop.${ended} Go on with it: everloop -p --resume ${sessionId} "…"\n`,
  );
  return 0;
}
