import { replaceFile, createFile } from './files/atomic-write';
import { FileTail } from './files/file-tail';
import { fromLedgerText } from './files/ledger-index';
import { readLines } from './files/line-reader';
import { ARCHIVED, RecordIndex } from './files/record-index';
import { fileStamp } from './files/torn-bytes';
import { mendTranscript } from './files/transcript-mend';
import {
  readTranscript,
  scanTranscript,
  type Damage,
  type ScannedLine,
} from './files/transcript-scan';

export interface Finding {
  readonly type: Damage | 'ledger_record_missing';
  /** Where the damaged line begins: in the transcript, or in the ledger for `ledger_record_missing`. */
  readonly offset: number;
  /** Of the damaged record; for `ledger_record_missing`, of the missing one. null: the line tells none. */
  readonly uuid: string | null;
  /** For people: what is wrong and what can be done. */
  readonly message: string;
}

/** Names every damage of a transcript file; with the path of its ledger, also records that only the ledger knows.
 *  Fails: an error of the file system when the transcript cannot be read. */
export async function checkTranscript(
  path: string,
  options: { readonly ledgerPath?: string } = {},
): Promise<Finding[]> {
  const scanned = scanTranscript(await readTranscript(path));
  const findings = scanned.flatMap((line) => findingsOf(line, path));
  if (options.ledgerPath === undefined) return findings;
  const uuids = new Set(scanned.map((one) => one.line?.uuid ?? ''));
  return [...findings, ...(await missingFromLedger(options.ledgerPath, uuids))];
}

export interface Repair {
  /** For people: what was done, in order. Empty: the file was sound and was not touched. */
  readonly steps: readonly string[];
  /** Beside the transcript: every line that was cut out or changed, as it was. null: none. */
  readonly keptIn: string | null;
}

/** Makes a transcript readable again and gives up as little as it can. Only under the session's lease, or when
 *  nobody works with the file: it is replaced as a whole. */
export async function repairTranscript(path: string): Promise<Repair> {
  const { kept, replaced, steps } = mendTranscript(await readTranscript(path));
  if (steps.length === 0) return { steps, keptIn: null };
  const keptIn = `${path}.cut-${fileStamp()}`;
  await createFile(keptIn, toText(replaced));
  await replaceFile(path, toText(kept.map((line) => line.text)));
  return { steps, keptIn };
}

export interface NearestLeaf {
  /** true: the chain of the leaf that was asked for is complete, and `leaf` is that leaf. */
  readonly isIntact: boolean;
  /** Where the session can go on; null: at an empty context. */
  readonly leaf: string | null;
  /** For people. */
  readonly message: string;
}

/** For a leaf that somebody else names (the Workflow's history): is its context in the file? If not, the last
 *  record of the main chain whose context is. */
export async function nearestLeaf(path: string, leaf: string): Promise<NearestLeaf> {
  const index = new RecordIndex(path, true);
  const isIntact = (uuid: string) => {
    try {
      const chain = index.chain(uuid);
      return chain !== ARCHIVED && chain.length > 0;
    } catch {
      return false;
    }
  };
  return new FileTail(path, index).look(() => {
    if (isIntact(leaf)) return { isIntact: true, leaf, message: `${leaf} is in ${path}.` };
    const nearest = index.mainChain().findLast(isIntact) ?? null;
    const what = index.find(leaf) === undefined ? 'is not in' : 'has a broken chain in';
    const where =
      nearest === null ? 'an empty context' : `${nearest}, the last record that is whole`;
    const message = `Record ${leaf} ${what} ${path}, although the Workflow's history names it. The session can go on at ${where}.`;
    return { isIntact: false, leaf: nearest, message };
  });
}

const EXPLANATIONS: Readonly<Record<Damage, string>> = {
  torn_line: 'ends in half a line. The next Worker cuts it off',
  torn_batch: 'ends in an append that is not complete. The next Worker cuts it off',
  unparsable_line: 'has a line that is not JSON. Repair saves what can be read of it',
  incomplete_batch: 'has a record of an append whose other records are missing. Repair keeps it',
  duplicate_uuid: 'has a uuid a second time. Readers take the first; repair cuts out this one',
  missing_parent: 'has a record whose parent is missing. Repair chains it to the one before it',
  circular_chain: 'has a record that is its own ancestor. Repair chains it to the one before it',
};

function findingsOf({ source, line, damages }: ScannedLine, path: string): Finding[] {
  const uuid = line?.uuid ?? null;
  const named = uuid === null ? '' : ` Record: ${uuid}.`;
  const parent = line?.parentUuid == null ? '' : ` Parent: ${line.parentUuid}.`;
  return [...damages].map((type) => ({
    type,
    offset: source.start,
    uuid,
    message: `${path} ${EXPLANATIONS[type]} (byte ${source.start}).${named}${parent}`,
  }));
}

async function missingFromLedger(path: string, uuids: ReadonlySet<string>): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const lines of readLines(path)) {
    for (const { text, start } of lines) {
      const line = fromLedgerText(text);
      if (line?.type !== 'result' || uuids.has(line.call.recordId)) continue;
      const { id, recordId } = line.call;
      const message = `${path} has a result of call ${id} (byte ${start}), but its record ${recordId} is not in the transcript: the reply was discarded, or its record was lost. The result stays in the ledger.`;
      findings.push({ type: 'ledger_record_missing', offset: start, uuid: recordId, message });
    }
  }
  return findings;
}

function toText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}
