interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all?: boolean | undefined;
}

type Replaced =
  | { readonly type: 'replaced'; readonly text: string; readonly count: number }
  | { readonly type: 'no_match' }
  | { readonly type: 'not_unique'; readonly count: number };

/** Exact replacement. Models write `\n` where the file has `\r\n`; the file's own line ends are kept. */
export function replaceText(text: string, replacement: Replacement): Replaced {
  for (const { old_string, new_string } of spellings(text, replacement)) {
    const parts = text.split(old_string);
    const count = parts.length - 1;
    if (count === 0) continue;
    if (count > 1 && replacement.replace_all !== true) return { type: 'not_unique', count };
    return { type: 'replaced', text: parts.join(new_string), count };
  }
  return { type: 'no_match' };
}

/** The line ends that most lines of the file have come first. */
function spellings(text: string, { old_string, new_string }: Replacement): readonly Replacement[] {
  const asGiven = { old_string, new_string };
  const crlfCount = text.split('\r\n').length - 1;
  if (crlfCount === 0) return [asGiven];
  const asCrlf = { old_string: toCrlf(old_string), new_string: toCrlf(new_string) };
  const lfCount = text.split('\n').length - 1 - crlfCount;
  return crlfCount > lfCount ? [asCrlf, asGiven] : [asGiven, asCrlf];
}

function toCrlf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}
