import { randomUUID } from 'node:crypto';
import type { InboxMessage, RunOptions } from '../../transcript/message';
import type { SessionStore } from '../../transcript/store';
import type { SessionStatus } from '../../workflows/interface';
import { CliError } from '../cli-error';
import { heard } from './heard';
import type { Operator } from './operator';
import type { SteerCommand } from './steer-command';

const WHEN = {
  now: 'It is answered next; what ran is interrupted.',
  next: 'It is heard after the tools that run now.',
  later: 'It is answered when the running query has ended.',
} as const;

/** Hands a message to a session that is open, and leaves: whoever serves the session does the rest. */
export async function steer(
  { selector, text, priority, json }: SteerCommand,
  { host, connected, stdout, session: find }: Operator,
): Promise<number> {
  const { sessionId } = await find(selector);
  const session = await host.store.openSession(sessionId);
  const status = await heard(sessionId, connected.agent.status(sessionId));
  if (session === undefined || status === undefined) throw notOpen(sessionId);
  const message: InboxMessage = {
    id: randomUUID(),
    content: text,
    submittedAt: new Date().toISOString(),
    options: await optionsFor(session, status),
  };
  const said = connected.agent.submit(session, message, { isLast: false, priority });
  await heard(sessionId, said);
  if (json) await stdout.writeLine({ sessionId, messageId: message.id, priority });
  else await stdout.write(`Session ${sessionId} has it. ${whenOf(status, priority)}\n`);
  return 0;
}

function whenOf(
  { activeQuery, paused }: SessionStatus,
  priority: SteerCommand['priority'],
): string {
  if (paused) return `The session is paused: everloop resume lets it go on.`;
  return activeQuery === null ? 'Nothing else ran: it is answered now.' : WHEN[priority];
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** If it becomes a query of its own, it runs as what it was said beside. */
async function optionsFor(
  session: SessionStore,
  { activeQuery, waiting }: SessionStatus,
): Promise<RunOptions> {
  const ids = [...(activeQuery === null ? [] : [activeQuery.promptId]), ...waiting];
  const [beside] = ids.length > 0 ? ids : await lastPrompts(session);
  const message = beside === undefined ? undefined : await session.findMessage(beside);
  if (message === undefined) throw notOpen(session.meta.sessionId);
  // Those are of the one message alone.
  const options: Mutable<RunOptions> = { ...message.options, jsonSchema: null };
  delete options.opensSession;
  return options;
}

/** Newest first. */
async function lastPrompts(session: SessionStore): Promise<readonly string[]> {
  const leaf = await session.lastLeaf();
  const records = leaf === null ? [] : (await session.chain(leaf)).toReversed();
  for (const { type, uuid, isSidechain } of records) {
    if (type === 'user' && !isSidechain && (await session.findMessage(uuid))) return [uuid];
  }
  return [];
}

const notOpen = (sessionId: string): CliError =>
  new CliError(
    `Session ${sessionId} is not at work, so there is nothing to steer. Go on with it: everloop -p --resume ${sessionId} "…"`,
  );
