import type { FileState, LedgerEvent } from '../transcript/file-history';
import type { RewindPoint } from './rewind-point';

/** What a file was at a point. */
export interface FileThen {
  readonly path: string;
  readonly root: string;
  readonly state: FileState;
  /** Folders from this one on were made for it later; null: none was. */
  readonly madeFolder: string | null;
}

/** The files that calls have changed, now or then, as they were at the point. */
export function filesAt(events: readonly LedgerEvent[], point: RewindPoint): readonly FileThen[] {
  const end = endOf(events, point);
  const files = new Map<string, FileThen>();
  for (const [index, event] of events.entries()) {
    const isBefore = index < end;
    if (event.type === 'change') {
      const { path, root, before, after, madeFolder } = event.change;
      const known = files.get(path);
      if (isBefore) files.set(path, { path, root, state: after, madeFolder: null });
      // The first change behind the point tells what was there; the folder may be made by any.
      else files.set(path, { madeFolder, ...(known ?? { path, root, state: before }) });
    }
    if (event.type === 'found' && isBefore) {
      for (const { path, state } of event.found.files) {
        const known = files.get(path);
        if (known !== undefined) files.set(path, { ...known, state });
      }
    }
  }
  return [...files.values()];
}

/** Calls that were begun behind the point, in order. */
export function callsBehind(
  events: readonly LedgerEvent[],
  point: RewindPoint,
): readonly Extract<LedgerEvent, { type: 'intent' }>[] {
  return events.slice(endOf(events, point)).filter((event) => event.type === 'intent');
}

/** Index behind the last event that belongs to what stays. */
function endOf(events: readonly LedgerEvent[], { kept, message }: RewindPoint): number {
  const atMessage = events.findIndex(
    (event) => event.type === 'found' && event.found.at === message,
  );
  if (atMessage >= 0) return atMessage + 1;
  return events.findLastIndex((event) => kept.has(recordOf(event))) + 1;
}

const recordOf = (event: LedgerEvent): string =>
  event.type === 'found' ? event.found.at : event.call.recordId;
