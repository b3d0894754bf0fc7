/** So many sessions are talked to at the same time. */
const AT_ONCE = 20;

/** What `act` makes of each, in order. */
export async function inTurns<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    results.push(...(await Promise.all(items.slice(from, from + AT_ONCE).map(act))));
  }
  return results;
}
