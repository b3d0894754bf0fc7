/** How often each line stands in the files that a script names for its effects. */
export function countLines(
  files: Readonly<Record<string, string>>,
  names: readonly string[],
): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const line of names.flatMap((name) => (files[name] ?? '').split('\n'))) {
    if (line !== '') counts[line] = (counts[line] ?? 0) + 1;
  }
  return counts;
}
