import type { FileSeen, TranscriptRecord } from '../../transcript/record';

/** What the conversation knows of a file. */
export interface KnownFile {
  /** As it was last seen. */
  readonly seen: FileSeen;
  /** What was told of it since without showing it; null: nothing. */
  readonly told: 'changed' | 'deleted' | null;
}

/** The files that a context has seen, in the order in which it last saw them. */
export function filesKnown(chain: readonly TranscriptRecord[]): ReadonlyMap<string, KnownFile> {
  const known = new Map<string, KnownFile>();
  for (const { everloop } of chain) {
    if (everloop?.attached?.source === 'file_changed') {
      for (const key of everloop.attached.keys) {
        const { told, path } = fromNoticeKey(key);
        const file = known.get(path);
        if (file !== undefined) known.set(path, { ...file, told });
      }
    }
    for (const seen of everloop?.files ?? []) {
      known.delete(seen.path);
      known.set(seen.path, { seen, told: null });
    }
  }
  return known;
}

/** How a notice that does not show the file is remembered. */
export function toNoticeKey(told: 'changed' | 'deleted', path: string): string {
  return `${told} ${path}`;
}

function fromNoticeKey(key: string): { readonly told: 'changed' | 'deleted'; path: string } {
  const space = key.indexOf(' ');
  return {
    told: key.slice(0, space) === 'deleted' ? 'deleted' : 'changed',
    path: key.slice(space + 1),
  };
}
