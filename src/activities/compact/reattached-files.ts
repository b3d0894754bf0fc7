import type { AttachmentRecord, TranscriptRecord } from '../../transcript/record';
import { attachmentRecord } from '../new-record';
import type { QueryCall } from '../query-call';

/** How many of the files that were seen last come back after a compaction (spec/loop 3.7l). */
const FILES = 5;

/** The newest files that the conversation has seen, as they are now, so that they may be edited at once. Files that
 *  the kept tail still shows are left out. */
export async function reattachedFiles(
  { deps, place, facts }: QueryCall,
  chain: readonly TranscriptRecord[],
  tail: readonly TranscriptRecord[],
): Promise<readonly AttachmentRecord[]> {
  const visible = new Set(tail.flatMap(filesOf));
  const newest = [...new Set(chain.toReversed().flatMap(filesOf))];
  const wanted = newest.filter((path) => !visible.has(path)).slice(0, FILES);
  if (wanted.length === 0) return [];
  const attached = await deps.surroundings.reattachFiles(wanted, place);
  return attached.map(({ text, filesSeen: files }) => ({
    ...attachmentRecord(facts, 'file', text),
    everloop: { files },
  }));
}

const filesOf = ({ everloop }: TranscriptRecord): readonly string[] =>
  (everloop?.files ?? []).map(({ path }) => path);
