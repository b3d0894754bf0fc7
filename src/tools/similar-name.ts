import { readdir } from 'node:fs/promises';
import path from 'node:path';

const FARTHEST = 3;

/** A file of the same folder whose name is close to that of a missing one: other case, other ending, a typo. */
export async function findSimilarFile(missing: string): Promise<string | undefined> {
  const folder = path.dirname(missing);
  const names = await readdir(folder).catch(() => []);
  const wanted = path.basename(missing);
  const ranked = names
    .map((name) => ({ name, distance: nameDistance(wanted, name) }))
    .filter(({ distance }) => distance <= Math.min(FARTHEST, wanted.length / 2))
    .sort((one, other) => one.distance - other.distance);
  return ranked[0] && path.join(folder, ranked[0].name);
}

function nameDistance(wanted: string, name: string): number {
  if (wanted.toLowerCase() === name.toLowerCase()) return 0;
  if (path.parse(wanted).name === path.parse(name).name) return 1;
  return editDistance(wanted.toLowerCase(), name.toLowerCase());
}

/** Levenshtein's. */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [rowIndex, letter] of Array.from(one).entries()) {
    const next = [rowIndex + 1];
    for (const [index, otherLetter] of Array.from(other).entries()) {
      next.push(
        Math.min(
          (next[index] ?? 0) + 1,
          (row[index + 1] ?? 0) + 1,
          (row[index] ?? 0) + (letter === otherLetter ? 0 : 1),
        ),
      );
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
