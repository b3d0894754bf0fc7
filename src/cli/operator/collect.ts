import { announce, isAlive } from '../../recovery/presence';
import { collectHome, HOME_KINDS, type HomeKind } from '../../retention/collect-home';
import { collectSessions } from '../../retention/collect-sessions';
import { deleteSession } from '../../retention/delete-session';
import { findOldSessions } from '../../retention/old-sessions';
import {
  addCollected,
  COLLECTED_KINDS,
  NOTHING_COLLECTED,
  type Collected,
  type CollectedKind,
} from '../../transcript/collection';
import type { LeaseOwner, SessionStore } from '../../transcript/store';
import { CliError } from '../cli-error';
import { sizeText } from '../output/size-text';
import type { CollectCommand } from './collect-command';
import type { Operator } from './operator';

const DAY_MS = 86_400_000;

type Kind = CollectedKind | HomeKind;

interface Collection {
  readonly before: string;
  readonly kinds: Readonly<Partial<Record<Kind, Collected>>>;
  /** Ids of sessions that went, or would go, as a whole. */
  readonly deleted: readonly string[];
  /** Sessions that were left alone. */
  readonly open: number;
  readonly held: number;
}

/** Removes what is old, or shows what would go. Exit code 0. Fails: CliError when no age is given, or sessions would be
 *  deleted and nobody can be asked. */
export async function collect(
  command: CollectCommand,
  operator: Operator,
  of: {
    readonly nowMs: number;
    /** Asks the person at the terminal; null: nobody is there. */
    readonly confirm: (() => Promise<boolean>) | null;
  },
): Promise<number> {
  const { stdout, host } = operator;
  const before = new Date(of.nowMs - ageMs(command, host.config.retentionDays)).toISOString();
  const old = command.transcripts ? await findOld(operator, before) : [];
  await requireConsent(command, old, of.confirm);
  const isLook = command.dryRun;
  const collection: Collection = {
    before,
    deleted: old.map(({ meta }) => meta.sessionId),
    ...(isLook
      ? await collectKinds(command, operator, { before, owner: null })
      : await asOwner((owner) => collectAll(command, operator, { before, owner, old }))),
  };
  if (command.json) await stdout.writeLine({ ...collection, done: !isLook });
  else await stdout.write(`${toLines(collection, isLook).join('\n')}\n`);
  return 0;
}

function ageMs({ olderThanMs }: CollectCommand, days: number | null): number {
  if (olderThanMs !== null) return olderThanMs;
  if (days !== null) return days * DAY_MS;
  throw new CliError(
    'How old is old? Add --older-than, as --older-than 30d, or set EVERLOOP_RETENTION_DAYS.',
  );
}

async function requireConsent(
  { dryRun, yes, json }: CollectCommand,
  old: readonly SessionStore[],
  confirm: (() => Promise<boolean>) | null,
): Promise<void> {
  if (dryRun || yes || old.length === 0) return;
  const question = `${count(old.length, 'session')} would be deleted, with ${old.length === 1 ? 'its transcript' : 'their transcripts'}.`;
  if (!json && confirm !== null) {
    process.stderr.write(`${question} `);
    if (await confirm()) return;
  }
  throw new CliError(`${question} Look at them with --dry-run, then add --yes.`);
}

const findOld = ({ host, connected }: Operator, before: string) =>
  findOldSessions({ client: connected.client, store: host.store, before, isAlive });

/** Whoever takes a lease must be seen to live. */
async function asOwner<T>(act: (owner: LeaseOwner) => Promise<T>): Promise<T> {
  const presence = await announce();
  try {
    return await act(presence.owner);
  } finally {
    presence.close();
  }
}

async function collectAll(
  command: CollectCommand,
  operator: Operator,
  of: {
    readonly before: string;
    readonly owner: LeaseOwner;
    readonly old: readonly SessionStore[];
  },
) {
  const { host, connected } = operator;
  const { client } = connected;
  for (const session of of.old) {
    const { store, config } = host;
    await deleteSession(session, { client, place: store.place, home: config.home, isAlive });
  }
  return collectKinds(command, operator, of);
}

async function collectKinds(
  { kinds }: CollectCommand,
  { host, connected }: Operator,
  { before, owner }: { readonly before: string; readonly owner: LeaseOwner | null },
): Promise<Pick<Collection, 'kinds' | 'open' | 'held'>> {
  const { store, config } = host;
  const world = { client: connected.client, store, isAlive, before };
  const ofSessions = COLLECTED_KINDS.filter((kind) => kinds.includes(kind));
  const collected: Partial<Record<Kind, Collected>> = {};
  const left = { open: 0, held: 0 };
  for await (const one of collectSessions({ ...world, kinds: ofSessions, owner })) {
    if (one.left !== null) left[one.left] += 1;
    else
      for (const kind of ofSessions) {
        collected[kind] = addCollected(collected[kind] ?? NOTHING_COLLECTED, one.collected[kind]);
      }
  }
  const ofHome = HOME_KINDS.filter((kind) => kinds.includes(kind));
  const home = { ...world, home: config.home, kinds: ofHome, isLook: owner === null };
  const inHome = await collectHome(home);
  for (const kind of ofHome) collected[kind] = inHome[kind];
  return { kinds: collected, ...left };
}

const NAMES: Readonly<Record<Kind, string>> = {
  ledger: 'ledger entries',
  log: 'log entries and streams',
  checkpoints: 'kept file versions',
  notes: 'notes of dead Workers',
  worker_logs: 'logs of Workers',
  folders: 'folders of sessions that are gone',
};

function toLines(collection: Collection, isLook: boolean): readonly string[] {
  const { before, kinds, deleted, open, held } = collection;
  const found = Object.entries(kinds) as [Kind, Collected][];
  const { bytes } = found.map(([, one]) => one).reduce(addCollected, NOTHING_COLLECTED);
  const left = [
    ...(open === 0 ? [] : [`${count(open, 'session')} open`]),
    ...(held === 0 ? [] : [`${count(held, 'session')} held by a process`]),
  ];
  return [
    `Older than ${before}:`,
    ...found.map(([kind, one]) => `  ${one.items} ${NAMES[kind]}, ${sizeText(one.bytes)}`),
    ...deleted.map((id) => `  session ${id}${isLook ? '' : ': deleted'}`),
    ...(left.length === 0 ? [] : [`Left alone: ${left.join(', ')}.`]),
    isLook ? `${sizeText(bytes)} would go. Nothing was removed.` : `${sizeText(bytes)} removed.`,
  ];
}

const count = (number: number, noun: string): string =>
  `${number} ${noun}${number === 1 ? '' : 's'}`;
