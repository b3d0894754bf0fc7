import { endShells } from '../tools/shell/background-shell';
import type { InboxMessage } from '../transcript/message';
import type { Command } from './command';
import { isUuid } from './option-values';
import type { OpenSession } from './session-request';
import type { Surroundings } from './surroundings';

/** Stops what each session does, its background shells too, and drops the messages that wait: else it would go on with
 *  the next of them. It stays resumable. Fails: when one is unknown. */
export async function stop(
  { selectors, json }: Extract<Command, { type: 'stop' }>,
  deps: StopDeps,
): Promise<number> {
  for (const sessionId of await selectedBy(selectors, deps)) {
    const stopped = await stopOne(sessionId, deps);
    if (json) await deps.stdout.writeLine(stopped);
    else await deps.stdout.write(toText(stopped));
  }
  return 0;
}

interface StopDeps extends Pick<Surroundings, 'stdout' | 'cwd'> {
  readonly openSession: OpenSession;
  /** Ids of the sessions that the selectors name. */
  readonly select: (selectors: readonly string[]) => Promise<readonly string[]>;
}

/** Whole ids need nobody who looks them up. */
const selectedBy = async (
  selectors: readonly string[],
  { select }: StopDeps,
): Promise<readonly string[]> => (selectors.every(isUuid) ? selectors : select(selectors));

interface Stopped {
  readonly sessionId: string;
  /** Background shells that were ended. */
  readonly endedShells: number;
  /** Beginnings of the messages that were dropped. */
  readonly dropped: readonly string[];
}

async function stopOne(sessionId: string, deps: StopDeps): Promise<Stopped> {
  const connection = await deps.openSession({
    choice: { type: 'attach', sessionId },
    serve: 'background',
    persistent: true,
    cwd: deps.cwd,
  });
  const dropped = await connection.stop();
  // The session may have closed long ago, and its shells stayed.
  const endedShells = await endShells(connection.store.folderPath('shells'));
  await connection.close();
  return { sessionId, endedShells, dropped: dropped.map(beginningOf) };
}

function toText({ sessionId, endedShells, dropped }: Stopped): string {
  const ended = endedShells === 0 ? '' : ` Background shells that were ended: ${endedShells}.`;
  return [
    `Session ${sessionId} was told to stop.${ended} Go on with it: everloop -p --resume ${sessionId} "…"\n`,
    ...dropped.map((beginning) => `Dropped before it was answered: ${beginning}\n`),
  ].join('');
}

const SHOWN_CHARS = 200;

function beginningOf({ content }: InboxMessage): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}
