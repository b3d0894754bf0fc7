/** Markup that is safe to show: only `html` makes it, and `html` escapes what is put into it. */
export class Html {
  constructor(readonly markup: string) {}
}

type Part = Html | string | number | null | readonly Part[];

/** Texts and numbers are escaped, also inside of attributes in double quotes; markup and lists of it stay; null is
 *  nothing. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const kept = unindented(strings);
  return new Html(kept.map((text, index) => text + toMarkup(parts[index] ?? null)).join(''));
}

const known = new WeakMap<TemplateStringsArray, readonly string[]>();

/** How templates are laid out in the source would be a third of a page. */
function unindented(strings: TemplateStringsArray): readonly string[] {
  const before = known.get(strings);
  if (before !== undefined) return before;
  const made = strings.map((text) => text.replace(/\s*\n\s*/g, '\n'));
  known.set(strings, made);
  return made;
}

function toMarkup(part: Part): string {
  if (part === null) return '';
  if (part instanceof Html) return part.markup;
  if (typeof part === 'object') return part.map(toMarkup).join('');
  return escaped(String(part));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** What is neither text nor white space: a model's words must not turn the line around or hide in it. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function escaped(text: string): string {
  return text.replace(CONTROLS, '\ufffd').replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one);
}
