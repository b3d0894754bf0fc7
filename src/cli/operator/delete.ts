import { setTimeout as delay } from 'node:timers/promises';
import { isAlive } from '../../recovery/presence';
import { deleteSession } from '../../retention/delete-session';
import { CliError } from '../cli-error';
import type { DeleteCommand } from './delete-command';
import { planDeletion, planLine, runsOf, type Doomed } from './deletion-plan';
import type { Operator } from './operator';

/** Shows what goes with each session, and deletes it when that is wanted. All of them, or none: one that works, or is
 *  open in another process, refuses the command unless it is forced.
 *  Fails: CliError when a selector names no session, or one may not be deleted. */
export async function deleteSessions(
  command: DeleteCommand,
  operator: Operator,
  /** Asks the person at the terminal; null: nobody is there. */
  confirm: (() => Promise<boolean>) | null,
): Promise<number> {
  const { stdout } = operator;
  const { force, yes, json } = command;
  const doomed = await planDeletion(command.selectors, operator);
  const refused = force ? [] : doomed.flatMap(({ obstacle }) => obstacle ?? []);
  if (refused.length > 0) throw new CliError(refused.join('\n'));
  if (!json) await stdout.write(`${[...doomed.map(planLine), ...NOTES].join('\n')}\n`);
  if (!(yes || (!json && confirm !== null && (await confirm())))) {
    for (const one of json ? doomed : []) await stdout.writeLine(toJson(one, null));
    if (!json) await stdout.write('Nothing was deleted. To do it, add --yes.\n');
    return 0;
  }
  for (const one of doomed) {
    const runs = await deleteOne(one, operator);
    if (json) await stdout.writeLine(toJson(one, runs));
    else await stdout.write(`Deleted ${one.sessionId}.\n`);
  }
  return 0;
}

const NOTES: readonly string[] = [
  'The transcript goes as well, the server forgets the runs within a minute, and files that sessions worked on stay.',
];

/** `runs`: that the server had; null: nothing was deleted. */
const toJson = ({ sessionId, cwd, weight, runs: open }: Doomed, runs: number | null) => ({
  sessionId,
  cwd,
  transcriptBytes: weight.transcriptBytes,
  otherBytes: weight.otherBytes,
  runs: runs ?? open,
  deleted: runs !== null,
});

async function deleteOne(doomed: Doomed, operator: Operator): Promise<number> {
  const { host, connected } = operator;
  const { store, config } = host;
  if (doomed.obstacle !== null) await stop(doomed.sessionId, operator);
  if (doomed.session === null) return runsOf(doomed.sessionId, operator).delete();
  const { client } = connected;
  return deleteSession(doomed.session, { client, place: store.place, home: config.home, isAlive });
}

/** A query that is told to stop ends its tools. One that nobody serves hears of nothing. */
const STOPS_WITHIN_MS = 10_000;
const LOOK_AGAIN_MS = 100;

async function stop(sessionId: string, { connected }: Operator): Promise<void> {
  const { agent } = connected;
  await agent.stop(sessionId);
  const deadline = performance.now() + STOPS_WITHIN_MS;
  while (performance.now() < deadline && (await agent.isRunning(sessionId))) {
    await delay(LOOK_AGAIN_MS);
  }
}
