import { SessionRuns } from '../../retention/session-runs';
import { listShells, stateOf } from '../../tools/shell/background-shell';
import type { SessionStore, SessionWeight } from '../../transcript/store';
import { isUuid } from '../option-values';
import { sizeText } from '../output/size-text';
import { isOnOwnQueue, isServed } from '../serve-session';
import type { Operator } from './operator';
import { printable } from './printable';
import { isAtWork } from './require-idle';

type Bytes = Pick<SessionWeight, 'transcriptBytes' | 'otherBytes'>;

/** A session that is to be deleted, and what goes with it. */
export interface Doomed {
  readonly sessionId: string;
  /** null: of an earlier deletion that was cut short, the server alone has something left. */
  readonly session: SessionStore | null;
  readonly cwd: string | null;
  readonly weight: Bytes;
  /** That the server knows. */
  readonly runs: number;
  /** Why it should not be deleted now, as a sentence with the cure; null: nothing speaks against it. */
  readonly obstacle: string | null;
}

/** The sessions that the selectors name. Changes nothing. Fails: CliError when one names none. */
export async function planDeletion(
  selectors: readonly string[],
  operator: Operator,
): Promise<readonly Doomed[]> {
  const { store } = operator.host;
  const known: string[] = [];
  const doomed: Doomed[] = [];
  for (const selector of selectors) {
    const id = selector.trim().toLowerCase();
    const isUnknown = isUuid(id) && (await store.openSession(id)) === undefined;
    const left = isUnknown ? await leftOf(id, operator) : null;
    if (left === null) known.push(selector);
    else doomed.push(left);
  }
  // Before anything is asked of the user: a selector that names nothing is a mistake.
  const metas = known.length === 0 ? [] : await operator.sessions(known, 'any');
  for (const { sessionId } of metas) {
    const session = await store.openSession(sessionId);
    if (session !== undefined) doomed.push(await examine(session, operator));
  }
  return doomed;
}

export function planLine({ sessionId, cwd, weight, runs }: Doomed): string {
  if (cwd === null) return `${sessionId}  ${runsText(runs)}, left of an earlier deletion`;
  const { transcriptBytes, otherBytes } = weight;
  return `${sessionId}  ${printable(cwd)}: transcript ${sizeText(transcriptBytes)}, the rest ${sizeText(otherBytes)}, ${runsText(runs)}`;
}

const runsText = (runs: number): string => `${runs} run${runs === 1 ? '' : 's'} at the server`;

const NO_WEIGHT: Bytes = { transcriptBytes: 0, otherBytes: 0 };

/** null: the server has nothing of it either. */
async function leftOf(sessionId: string, operator: Operator): Promise<Doomed | null> {
  const { length } = await runsOf(sessionId, operator).find();
  if (length === 0) return null;
  return {
    sessionId,
    session: null,
    cwd: null,
    weight: NO_WEIGHT,
    runs: length,
    obstacle: null,
  };
}

async function examine(session: SessionStore, operator: Operator): Promise<Doomed> {
  const { sessionId, cwd } = session.meta;
  return {
    sessionId,
    session,
    cwd,
    weight: await session.weigh(),
    runs: (await runsOf(sessionId, operator).find()).length,
    obstacle: await obstacleOf(session, operator),
  };
}

export const runsOf = (sessionId: string, { connected, host }: Operator): SessionRuns =>
  new SessionRuns(connected.client, { place: host.store.place, sessionId, promptIds: [] });

async function obstacleOf(
  session: SessionStore,
  { connected, host }: Operator,
): Promise<string | null> {
  const { sessionId } = session.meta;
  const cure = `Stop it (everloop stop ${sessionId}), or add --force.`;
  if (await isAtWork(connected, session, host.store.place)) {
    return `Session ${sessionId} is at work. ${cure}`;
  }
  if (await hasRunningShell(session)) {
    return `A background shell of session ${sessionId} runs. ${cure}`;
  }
  // The background Worker keeps the lease of a session that has closed; a command leaves with its session.
  if (!isOnOwnQueue(host, session) || !(await isServed(host, session))) return null;
  const { host: name = '?', pid } = (await session.currentLease())?.owner ?? {};
  const holder = pid === undefined ? 'A process' : `Process ${pid}`;
  return `${holder} on ${name} has session ${sessionId} open. Leave it there, or add --force.`;
}

async function hasRunningShell(session: SessionStore): Promise<boolean> {
  const shells = await listShells(session.folderPath('shells'));
  const states = await Promise.all(shells.map((shell) => stateOf(shell)));
  return states.some(({ status }) => status === 'running');
}
