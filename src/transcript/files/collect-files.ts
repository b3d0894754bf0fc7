import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { bytesOf } from '../../disk/folder';
import { disk } from '../../disk/disk';
import {
  addCollected,
  neededContents,
  NOTHING_COLLECTED,
  OldQueries,
  type Collected,
  type CollectedKind,
} from '../collection';
import type { FollowedEntry } from '../session-log';
import type { CollectRequest } from '../store';
import { unlessMissing } from './disk-error';
import type { FileLedger } from './file-ledger';
import type { KeptFolder } from './kept-folder';
import { fromLedgerText } from './ledger-index';
import { fromHeaderText, headerLine } from './log-cursor';
import { linesOf, rewriteLines, type Rewriter } from './rewrite-lines';
import type { SessionFolder } from './session-folder';
import { fromTranscriptText } from './transcript-line';

interface Collectable {
  readonly folder: SessionFolder;
  readonly transcriptPath: string;
  readonly ledger: FileLedger;
  readonly kept: KeptFolder;
}

/** Removes what is old from the files of a session, or looks what would go (`rewriter` null). */
export async function collectFiles(
  of: Collectable,
  { kinds, before }: CollectRequest,
  rewriter: Rewriter,
): Promise<Readonly<Record<CollectedKind, Collected>>> {
  const { folder, ledger, kept } = of;
  const times = await recordTimes(of.transcriptPath);
  const collected = {
    ledger: NOTHING_COLLECTED,
    log: NOTHING_COLLECTED,
    checkpoints: NOTHING_COLLECTED,
  };
  // First: it reads the ledger.
  if (kinds.includes('checkpoints')) {
    const isOld = (uuid: string): boolean => (times.get(uuid) ?? before) < before;
    const needed = neededContents(await ledger.events(), isOld);
    collected.checkpoints = await kept.collect(needed, rewriter === null);
  }
  if (kinds.includes('ledger')) {
    const isOld = await oldLines(folder.ledger, before, (uuid) => times.has(uuid));
    const toLine = (text: string) => (isOld(text) ? null : text);
    collected.ledger = await rewriteLines(folder.ledger, toLine, rewriter);
  }
  if (kinds.includes('log')) {
    const live = await leftStreams(folder.live, rewriter);
    collected.log = addCollected(live, await collectLog(folder.log, before, rewriter));
  }
  return collected;
}

/** Of all records of the transcript, by uuid. */
async function recordTimes(path: string): Promise<ReadonlyMap<string, string>> {
  const times = new Map<string, string>();
  for await (const lines of linesOf(path)) {
    for (const { text } of lines) {
      const record = fromTranscriptText(text)?.record;
      if (record != null) times.set(record.uuid, record.timestamp);
    }
  }
  return times;
}

/** Lines of calls whose result is old and a part of the conversation, and of old failures. */
async function oldLines(
  path: string,
  before: string,
  isRecorded: (uuid: string) => boolean,
): Promise<(text: string) => boolean> {
  const over = new Set<string>();
  const keyOf = ({ recordId, id }: { readonly recordId: string; readonly id: string }): string =>
    JSON.stringify([recordId, id]);
  for await (const lines of linesOf(path)) {
    for (const { text } of lines) {
      const line = fromLedgerText(text);
      if (line?.type !== 'result') continue;
      const { uuid, timestamp } = line.result.record;
      if (timestamp < before && isRecorded(uuid)) over.add(keyOf(line.call));
    }
  }
  return (text) => {
    const line = fromLedgerText(text);
    switch (line?.type) {
      case 'intent':
      case 'result':
        return over.has(keyOf(line.call));
      case 'failure':
        return line.failure.at < before;
      case 'change':
      case 'found':
      case undefined:
        return false;
    }
  };
}

/** The rest begins with a new header: places in the file as it was mean nothing in it. */
async function collectLog(path: string, before: string, rewriter: Rewriter): Promise<Collected> {
  const old = await OldQueries.in(entriesOf(path), before);
  const header = headerLine(randomBytes(4).toString('hex')).trimEnd();
  return rewriteLines(
    path,
    (text) => {
      if (fromHeaderText(text) !== undefined) return header;
      const entry = fromLogText(text);
      return entry !== undefined && old.has(entry) ? null : text;
    },
    rewriter,
  );
}

async function* entriesOf(path: string): AsyncGenerator<Pick<FollowedEntry, 'at' | 'entry'>> {
  for await (const lines of linesOf(path)) {
    for (const { text } of lines) {
      const entry = fromLogText(text);
      if (entry !== undefined) yield entry;
    }
  }
}

/** undefined: the header, or a line that cannot be read. */
function fromLogText(text: string): Pick<FollowedEntry, 'at' | 'entry'> | undefined {
  try {
    const line = JSON.parse(text) as Partial<FollowedEntry>;
    const { at, entry } = line;
    return at === undefined || entry === undefined ? undefined : { at, entry };
  } catch {
    return undefined;
  }
}

/** Streams that nobody writes: whoever took the lease has removed those that were there. */
async function leftStreams(folder: string, rewriter: Rewriter): Promise<Collected> {
  const names = rewriter === null ? await unlessMissing(disk.readdir(folder)) : undefined;
  if (names === undefined) return NOTHING_COLLECTED;
  const sizes = await Promise.all(names.map((name) => bytesOf(join(folder, name))));
  return { items: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}
