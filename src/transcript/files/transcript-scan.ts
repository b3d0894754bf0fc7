import { BatchReader } from './batch-reader';
import { readLines, type Line } from './line-reader';
import { fromTranscriptText, type TranscriptLine } from './transcript-line';

/** What can be wrong with a line. `torn_…`: at the end of the file, where a crash leaves it; readers do not see it. */
export type Damage =
  | 'torn_line'
  | 'torn_batch'
  | 'unparsable_line'
  | 'incomplete_batch'
  | 'duplicate_uuid'
  | 'missing_parent'
  | 'circular_chain';

export interface ScannedLine {
  readonly source: Line;
  /** undefined: it cannot be read. */
  readonly line: TranscriptLine | undefined;
  readonly damages: Set<Damage>;
}

type ReadableLine = ScannedLine & { readonly line: TranscriptLine };

export async function readTranscript(path: string): Promise<Line[]> {
  const all: Line[] = [];
  for await (const lines of readLines(path)) all.push(...lines);
  return all;
}

/** Finds every damage that can be seen in the transcript alone. */
export function scanTranscript(sources: readonly Line[]): ScannedLine[] {
  const scanned = sources.map((source) => {
    const line = fromTranscriptText(source.text);
    const damages = new Set<Damage>();
    if (line === undefined) damages.add(source.isTerminated ? 'unparsable_line' : 'torn_line');
    return { source, line, damages };
  });
  const readable = scanned.filter(isReadable);
  markBatches(scanned);
  const chained = readable.filter(
    (one) => one.line.uuid !== null && !one.damages.has('torn_batch'),
  );
  markChains(markDuplicates(chained));
  return scanned;
}

function markBatches(lines: readonly ScannedLine[]): void {
  const reader = new BatchReader<ReadableLine>({
    whole: () => undefined,
    broken: (batch) => batch.forEach((one) => one.damages.add('incomplete_batch')),
  });
  for (const one of lines) {
    if (isReadable(one)) reader.read(one);
    else if (one.source.isTerminated) reader.interrupt();
  }
  for (const one of reader.rewind()) one.damages.add('torn_batch');
}

function markDuplicates(lines: readonly ReadableLine[]): Map<string, ReadableLine> {
  const first = new Map<string, ReadableLine>();
  for (const one of lines) {
    const uuid = one.line.uuid ?? '';
    if (first.has(uuid)) one.damages.add('duplicate_uuid');
    else first.set(uuid, one);
  }
  return first;
}

/** Walks back from every line until it meets one that is known to lead to a beginning. */
function markChains(lines: ReadonlyMap<string, ReadableLine>): void {
  const walked = new Set<ReadableLine>();
  for (const start of lines.values()) {
    const path = new Set<ReadableLine>();
    let at: ReadableLine | undefined = start;
    while (at !== undefined && !walked.has(at)) {
      path.add(at);
      const parentUuid: string | null = at.line.parentUuid;
      const parent: ReadableLine | undefined =
        parentUuid === null ? undefined : lines.get(parentUuid);
      if (parentUuid !== null && parent === undefined) at.damages.add('missing_parent');
      if (parent !== undefined && path.has(parent)) {
        earliest([...path].slice([...path].indexOf(parent))).damages.add('circular_chain');
        break;
      }
      at = parent;
    }
    for (const one of path) walked.add(one);
  }
}

/** In a circle, the first in the file is the one whose parent cannot be right: parents are written first. */
function earliest(circle: readonly ReadableLine[]): ReadableLine {
  return circle.reduce((a, b) => (a.source.start <= b.source.start ? a : b));
}

function isReadable(one: ScannedLine): one is ReadableLine {
  return one.line !== undefined;
}
