/** A Markdown file with the fields that stand between `---` lines at its top. */
export interface Markdown {
  readonly fields: ReadonlyMap<string, string>;
  readonly body: string;
}

const BLOCK = /^---[ \t]*\r?\n(?<head>(?:[^]*?\n)?)---[ \t]*(?:\r?\n|$)/;

/** Reads the part of YAML that such files use: `key: value`, quotes, lists, texts over several lines. */
export function readMarkdown(text: string): Markdown {
  const match = BLOCK.exec(text);
  const head = match?.groups?.['head'];
  if (match === null || head === undefined) return { fields: new Map(), body: text };
  const fields = new Map<string, string>();
  let current = '';
  for (const line of head.split(/\r?\n/)) {
    const field = /^(?<key>[\w-]+):(?:\s+(?<value>.*))?$/.exec(line)?.groups;
    if (field === undefined) {
      const more = line.trim();
      if (current !== '' && more !== '' && !more.startsWith('#'))
        fields.set(current, `${fields.get(current) ?? ''}\n${more}`.trim());
    } else {
      current = field['key'] ?? '';
      // `>` and `|` only announce a longer text.
      fields.set(current, unquote((field['value'] ?? '').replace(/^[>|][+-]?$/, '')));
    }
  }
  return { fields, body: text.slice(match[0].length) };
}

/** A field that lists: `a, b`, `[a, b]`, or lines of `- a`. Commas inside braces belong to a pattern. */
export function listOf(value: string): readonly string[] {
  return value
    .replace(/^\[([^]*)\]$/, '$1')
    .split(/,(?![^{]*\})|\n/)
    .map((item) => unquote(item.trim().replace(/^-\s+/, '')))
    .filter((item) => item !== '');
}

function unquote(value: string): string {
  const plain = value.trim();
  return /^(["'])(?<inner>[^]*)\1$/.exec(plain)?.groups?.['inner'] ?? plain;
}
