const DEFAULT_MODEL = 'claude-sonnet-5-5';

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['default', DEFAULT_MODEL],
  ['sonnet', DEFAULT_MODEL],
  ['opus', 'claude-opus-5-5'],
  ['haiku', 'claude-haiku-5-5'],
]);

/** The first model that somebody chose, strongest wish first, with its alias resolved.
 *  Order: command line, ANTHROPIC_MODEL, settings. */
export function resolveModel(...wishes: readonly (string | null | undefined)[]): string {
  for (const wish of wishes) if (wish) return ALIASES.get(wish.toLowerCase()) ?? wish;
  return DEFAULT_MODEL;
}
