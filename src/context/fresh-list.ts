/** Lists that lie in folders: read again when they are older than this. */
const FRESH_MS = 1_000;

/** Reads a place's list now and then; the same object as long as it says the same, so that what is derived from it
 *  stays the same too. */
export function createFreshLists<Place, Item>(
  read: (place: Place) => Promise<readonly Item[]>,
  now: () => number = Date.now,
): (place: Place) => Promise<readonly Item[]> {
  const known = new Map<string, { readonly atMs: number; readonly list: readonly Item[] }>();
  return async (place) => {
    const key = JSON.stringify(place);
    const before = known.get(key);
    if (before !== undefined && now() - before.atMs < FRESH_MS) return before.list;
    const found = await read(place);
    const isSame = JSON.stringify(found) === JSON.stringify(before?.list);
    const list = isSame && before !== undefined ? before.list : found;
    known.set(key, { atMs: now(), list });
    return list;
  };
}
