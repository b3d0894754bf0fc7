import type { RunOptions } from '../transcript/message';
import type { RunCommand } from './command';
import type { OpenSession } from './session-request';
import type { Surroundings } from './surroundings';

export interface RunDeps extends Pick<Surroundings, 'stdout' | 'stderr' | 'cwd' | 'newId' | 'now'> {
  readonly openSession: OpenSession;
  readonly run: RunOptions;
}

/** Hands the prompt to a background session and prints its id, alone on stdout for scripts. */
export async function runDetached(command: RunCommand, deps: RunDeps): Promise<number> {
  for (const warning of command.warnings) await deps.stderr.write(`${warning}\n`);
  const connection = await deps.openSession({
    choice: command.session,
    serve: 'background',
    persistent: command.persistent,
    cwd: deps.cwd,
  });
  await connection.submit({
    id: deps.newId(),
    content: command.prompt,
    submittedAt: deps.now(),
    options: {
      ...deps.run,
      opensSession: command.session.type === 'new' ? 'startup' : 'resume',
    },
  });
  await connection.release();
  await connection.close();
  await deps.stdout.write(`${connection.sessionId}\n`);
  await deps.stderr.write(`Follow it: everloop attach ${connection.sessionId}\n`);
  return 0;
}
