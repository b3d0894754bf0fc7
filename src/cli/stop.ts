import type { Command } from './command';
import type { OpenSession } from './session-request';
import type { Surroundings } from './surroundings';

/** Stops what the session does. It stays resumable. Fails: when it is unknown. */
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
  await connection.close();
  await deps.stdout.write(
    `Session ${sessionId} was told to stop. Go on with it: everloop -p --resume ${sessionId} "…"\n`,
  );
  return 0;
}
