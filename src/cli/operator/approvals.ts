import type { PermissionDecision } from '../../transcript/permission';
import type { SessionStore } from '../../transcript/store';
import type { CallReceipt } from '../../workflows/approval';
import { CliError } from '../cli-error';
import type { ApprovalCommand } from './approval-command';
import { answered } from './answered';
import { decideCalls, type NamedCall } from './decide-calls';
import type { Operator } from './operator';
import { toWaitingJson, toWaitingText, withInputs, type WaitingCall } from './waiting-calls';

interface ApprovalWorld extends Pick<Operator, 'connected' | 'session' | 'sessions' | 'stdout'> {
  /** Sees to it that somebody hears what is decided. */
  readonly openServed: (sessionId: string) => Promise<SessionStore>;
}

/** Decides about calls that wait, or lists them; ids are those of one session. 0: every call stands as it was wished.
 *  Fails: CliError, when nothing was decided. */
export async function decideApproval(
  command: ApprovalCommand,
  world: ApprovalWorld,
): Promise<number> {
  const { toolUseIds, digests } = command;
  if (digests.length > 0 && digests.length !== toolUseIds.length) {
    throw new CliError('Give --digest as often as ids, in the same order; --all takes none.');
  }
  if (toolUseIds === 'all' || toolUseIds.length === 0) {
    const sessions = await world.sessions([command.session]);
    let worst = 0;
    for (const { sessionId } of sessions) {
      const waiting = await waitingIn(sessionId, world);
      const code =
        toolUseIds === 'all'
          ? await decideAll(command, waiting, world)
          : await list(command, waiting, world);
      worst = Math.max(worst, code);
    }
    return worst;
  }
  const { sessionId } = await world.session(command.session, 'open');
  const waiting = await waitingIn(sessionId, world);
  return decideNamed(command, waiting, world, await findNamed(toolUseIds, digests, waiting));
}

/** What waits in one session. */
interface Waiting {
  readonly sessionId: string;
  readonly store: SessionStore;
  readonly calls: readonly WaitingCall[];
}

async function waitingIn(sessionId: string, world: ApprovalWorld): Promise<Waiting> {
  const store = await world.openServed(sessionId);
  const { agent } = world.connected;
  const questions = await answered(sessionId, () => agent.questions(sessionId));
  return { sessionId, store, calls: await withInputs(questions, store) };
}

async function list(
  { json }: ApprovalCommand,
  { sessionId, calls }: Waiting,
  { stdout }: ApprovalWorld,
): Promise<number> {
  const waiting = calls.map(toWaitingJson);
  const text = toWaitingText(sessionId, calls);
  await stdout.write(json ? `${JSON.stringify({ sessionId, waiting })}\n` : text);
  return 0;
}

async function decideAll(
  command: ApprovalCommand,
  waiting: Waiting,
  world: ApprovalWorld,
): Promise<number> {
  const { kind, json } = command;
  const named = waiting.calls.filter(
    ({ question }) => kind === 'deny' || question.isQuestion !== true,
  );
  if (named.length > 0) return decideNamed(command, waiting, world, { named, before: [] });
  const { sessionId } = waiting;
  const text = json
    ? `${JSON.stringify({ sessionId, calls: [] })}\n`
    : toWaitingText(sessionId, []);
  await world.stdout.write(text);
  return 1;
}

/** The calls that a command names: those that wait, and those that were decided before. */
interface Named {
  readonly named: readonly NamedCall[];
  readonly before: readonly PermissionDecision[];
}

async function decideNamed(
  command: ApprovalCommand,
  { sessionId, store }: Waiting,
  { connected, stdout }: ApprovalWorld,
  { named, before }: Named,
): Promise<number> {
  const receipts: CallReceipt[] = [...before.map(toReceipt)];
  const messages = before.map(sentenceOf);
  for (const [queryId, calls] of byQuery(named)) {
    const receipt = await answered(sessionId, () =>
      decideCalls(command, { connected, store, queryId, calls }),
    );
    receipts.push(...receipt.calls);
    messages.push(receipt.message);
  }
  const text = command.json ? JSON.stringify({ sessionId, calls: receipts }) : messages.join('\n');
  await stdout.write(`${text}\n`);
  return receipts.every((receipt) => isAsWished(command, receipt)) ? 0 : 1;
}

const STANDINGS = { approve: 'approved', deny: 'denied', answer: 'answered' } as const;

const isAsWished = ({ kind }: ApprovalCommand, { standing }: CallReceipt): boolean =>
  standing === STANDINGS[kind];

async function findNamed(
  toolUseIds: readonly string[],
  digests: readonly string[],
  { sessionId, store, calls }: Waiting,
): Promise<Named> {
  const named: NamedCall[] = [];
  const before: PermissionDecision[] = [];
  for (const [index, id] of toolUseIds.entries()) {
    const found = calls.find(({ question: { call } }) => call.id === id || call.recordId === id);
    const decided = found === undefined ? await findDecision(store, id) : undefined;
    const digest = digests[index];
    if (found !== undefined) named.push({ ...found, ...(digest !== undefined && { digest }) });
    else if (decided !== undefined) before.push(decided);
    else throw new CliError(`No call ${id} waits.\n${toWaitingText(sessionId, calls)}`.trim());
  }
  return { named, before };
}

async function findDecision(
  store: SessionStore,
  id: string,
): Promise<PermissionDecision | undefined> {
  let found: PermissionDecision | undefined;
  for await (const { entry } of store.log.read()) {
    if (entry.type !== 'permission_decided') continue;
    const { call } = entry.decision;
    if (call.id === id || call.recordId === id) found = entry.decision;
  }
  return found;
}

const toReceipt = ({ call, toolName, behavior, by, at }: PermissionDecision): CallReceipt => ({
  toolUseId: call.id,
  name: toolName,
  standing: behavior === 'allow' ? 'approved' : 'denied',
  by,
  at,
  isNew: false,
});

const sentenceOf = ({ call, toolName, behavior, by, at }: PermissionDecision): string =>
  `${toolName} (${call.id}) was already decided: ${behavior === 'allow' ? 'approved' : 'denied'} by ${by} at ${at}.`;

function byQuery(calls: readonly NamedCall[]): ReadonlyMap<string, readonly NamedCall[]> {
  const queries = new Map<string, NamedCall[]>();
  for (const call of calls) queries.set(call.queryId, [...(queries.get(call.queryId) ?? []), call]);
  return queries;
}
