/** Whether a hook is meant for a tool, a source, a trigger... */
export type HookMatcher = (value: string) => boolean;

/** Omitted, empty and `*` match everything; names, also several with `|` or `,` between them, match as they
 *  stand; anything else is a regular expression that may match anywhere in the value. Case counts.
 *  Fails: SyntaxError, for what is neither.
 *  Source: the public hooks reference, "Matcher patterns". */
export function toHookMatcher(pattern = ''): HookMatcher {
  const trimmed = pattern.trim();
  if (trimmed === '' || trimmed === '*') return () => true;
  if (/^[\w ,|-]+$/.test(trimmed)) {
    const names = new Set(trimmed.split(/[|,]/).map((name) => name.trim()));
    return (value) => names.has(value);
  }
  const expression = new RegExp(trimmed);
  return (value) => expression.test(value);
}
