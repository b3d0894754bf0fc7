import { checkTranscript } from '../transcript/check-transcript';
import type { TranscriptRecord } from '../transcript/record';
import type { LogCursor } from '../transcript/session-log';
import type { LedgerEntry, SessionStore } from '../transcript/store';
import type { Observed, ObservedCall } from './observed';
import { contentOf } from './sim-session';
import { openSession } from './sim-store';

/** Longer than a follower sleeps between two looks. */
const QUIET_MS = 3_000;

/** What is on the disk when everything is over. */
export interface Left {
  readonly chain: readonly TranscriptRecord[];
  readonly damages: readonly string[];
  readonly knownLeaves: ReadonlySet<string>;
  readonly keptMessages: ReadonlySet<string>;
  readonly results: ReadonlyMap<string, LedgerEntry | undefined>;
  /** Cursors of all entries of the log. */
  readonly log: readonly LogCursor[];
  readonly endedInLog: ReadonlySet<string>;
}

/** Reads what is left; as a process that has just started. */
export async function readLeft({ calls, leaves, messages }: Observed): Promise<Left> {
  const session = await openSession();
  const leaf = await session.lastLeaf();
  const results = new Map<string, LedgerEntry | undefined>();
  for (const [id, { ref }] of calls) results.set(id, await session.ledger.find(ref));
  const knownLeaves = new Set<string>();
  for (const one of leaves) if ((await session.findRecord(one)) !== undefined) knownLeaves.add(one);
  const keptMessages = new Set<string>();
  for (const id of messages)
    if ((await session.findMessage(id)) !== undefined) keptMessages.add(id);
  const findings = await checkTranscript(session.transcriptPath);
  return {
    chain: leaf === null ? [] : await session.chain(leaf),
    damages: findings.map(({ message }) => message),
    knownLeaves,
    keptMessages,
    results,
    ...(await readLog(session)),
  };
}

/** Follows until nothing more comes: the last line may be one that followers skip. */
async function readLog({ log }: SessionStore): Promise<Pick<Left, 'log' | 'endedInLog'>> {
  const away = new AbortController();
  const cursors: LogCursor[] = [];
  const endedInLog = new Set<string>();
  const timer = setTimeout(() => away.abort(), QUIET_MS);
  for await (const { cursor, entry } of log.follow(null, away.signal)) {
    timer.refresh();
    cursors.push(cursor);
    if (entry.type === 'query_ended') endedInLog.add(entry.promptId);
  }
  return { log: cursors, endedInLog };
}

/** What of it breaks a promise, for people. `powerCuts`: how often the machine went down. */
export function violationsIn(
  observed: Observed,
  left: Left,
  { powerCuts, diskErrors }: { readonly powerCuts: number; readonly diskErrors: number },
): readonly string[] {
  const { messages, leaves, calls, seen, seenEnds } = observed;
  const inChain = new Set(left.chain.map(({ uuid }) => uuid));
  const results = resultsIn(left.chain);
  return [
    ...left.damages,
    ...messages.filter((id) => !left.keptMessages.has(id)).map((id) => `Message ${id} is lost.`),
    ...messages
      .filter((id) => left.chain.filter(({ uuid }) => uuid === id).length !== 1)
      .map((id) => `Message ${id} is not in the conversation once.`),
    ...leaves.filter((leaf) => !left.knownLeaves.has(leaf)).map((leaf) => `Leaf ${leaf} is lost.`),
    ...leaves.filter((leaf) => !inChain.has(leaf)).map((leaf) => `Leaf ${leaf} is on no chain.`),
    ...callsIn(left.chain)
      .filter((id) => results.filter((one) => one.id === id).length !== 1)
      .map((id) => `Call ${id} has not one result in the conversation.`),
    ...[...calls].flatMap(([id, call]) =>
      violationsOfCall(id, call, {
        result: left.results.get(id),
        effects: observed.effects.get(id) ?? 0,
        written: observed.written.get(id),
        diskErrors,
      }),
    ),
    ...messages
      .filter((id) => !left.endedInLog.has(id))
      .map((id) => `The log lacks the end of ${id}.`),
    ...messages
      .filter((id) => !seenEnds.has(id))
      .map((id) => `The reader missed the end of ${id}.`),
    // A power cut may take entries, and a cursor that points behind the end begins again. A process that was stopped
    // may write more while we look.
    ...(powerCuts === 0 && seen.slice(0, left.log.length).join() !== left.log.join()
      ? [
          `The reader saw ${seen.length} entries, the log has ${left.log.length}: ${seen.join(' ')} and ${left.log.join(' ')}.`,
        ]
      : []),
    ...left.log
      .filter((cursor) => !seen.includes(cursor))
      .map((cursor) => `The reader missed the entry before ${cursor}.`),
  ];
}

function violationsOfCall(
  id: string,
  { tool, broken }: ObservedCall,
  of: {
    readonly result: LedgerEntry | undefined;
    readonly effects: number;
    /** undefined: there is no file. */
    readonly written: string | undefined;
    readonly diskErrors: number;
  },
): readonly string[] {
  const { result, effects, written, diskErrors } = of;
  const name = `Call ${id} of ${tool}`;
  if (result?.result === undefined) return [`${name} has lost its result.`];
  const { isError, record } = result.result;
  const text = JSON.stringify(record.message.content);
  const wasUnknown = isUnknown(result);
  const hasEffect = tool === 'Note' || tool === 'Bash';
  const found: string[] = [];
  if (effects > 1) found.push(`${name} had its effect ${effects} times.`);
  if (hasEffect && !isError && effects !== 1)
    found.push(`${name} was reported, and had no effect.`);
  if (hasEffect && isError && !wasUnknown && effects > 0) {
    found.push(`${name} had its effect, and failed: ${text}`);
  }
  if (tool === 'Write' && !isError && written !== contentOf(id)) {
    found.push(`${name} was reported, and its file holds ${JSON.stringify(written)}.`);
  }
  if (isError && !wasUnknown && diskErrors === 0) found.push(`${name} failed: ${text}`);
  if (wasUnknown && !mayBeUnknown(tool, broken))
    found.push(`${name} is unknown without need: ${text}`);
  return found;
}

export function isUnknown(entry: LedgerEntry | undefined): boolean {
  return JSON.stringify(entry?.result?.record.message.content ?? '').includes('Outcome unknown');
}

/** A command is found again by its claim, unless the machine went down with it. */
function mayBeUnknown(tool: string, broken: ObservedCall['broken']): boolean {
  if (tool === 'Note') return broken.length > 0;
  return broken.some(({ type, hadClaimed }) => type === 'lost by a power cut' || !hadClaimed);
}

function callsIn(chain: readonly TranscriptRecord[]): readonly string[] {
  return chain.flatMap((record) =>
    record.type === 'assistant'
      ? record.message.content.flatMap((block) => (block.type === 'tool_use' ? block.id : []))
      : [],
  );
}

function resultsIn(chain: readonly TranscriptRecord[]): readonly { readonly id: string }[] {
  return chain.flatMap((record) =>
    record.type === 'user' && typeof record.message.content !== 'string'
      ? record.message.content.flatMap((block) =>
          block.type === 'tool_result' ? { id: block.tool_use_id } : [],
        )
      : [],
  );
}
