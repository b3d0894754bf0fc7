/** Where a text stops being JSON; undefined: it is JSON. Lines and columns begin at 1.
 *  JSON.parse names no place for most errors on Node 20. */
export function findJsonError(text: string): { line: number; column: number } | undefined {
  const end = skipValue(text, 0);
  const at = end.ok ? skipBlanks(text, end.at) : end.at;
  if (end.ok && at === text.length) return undefined;
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** `at`: behind the value, or where it went wrong. */
interface End {
  readonly ok: boolean;
  readonly at: number;
}

const SCALAR =
  /"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
export const STRING = /"(?:[^"\\\0-\x1f]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y;

export function skipValue(text: string, from: number): End {
  const at = skipBlanks(text, from);
  if (text[at] === '{') return skipList(text, at, '}', skipMember);
  if (text[at] === '[') return skipList(text, at, ']', skipValue);
  return skipPattern(text, at, SCALAR);
}

function skipMember(text: string, from: number): End {
  const key = skipPattern(text, skipBlanks(text, from), STRING);
  if (!key.ok) return key;
  const colon = skipBlanks(text, key.at);
  return text[colon] === ':' ? skipValue(text, colon + 1) : { ok: false, at: colon };
}

function skipList(
  text: string,
  open: number,
  close: '}' | ']',
  skipItem: (text: string, at: number) => End,
): End {
  let at = skipBlanks(text, open + 1);
  if (text[at] === close) return { ok: true, at: at + 1 };
  for (;;) {
    const item = skipItem(text, at);
    if (!item.ok) return item;
    at = skipBlanks(text, item.at);
    if (text[at] === close) return { ok: true, at: at + 1 };
    if (text[at] !== ',') return { ok: false, at };
    at++;
  }
}

export function skipPattern(text: string, at: number, pattern: RegExp): End {
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match === null ? { ok: false, at } : { ok: true, at: at + match[0].length };
}

export function skipBlanks(text: string, at: number): number {
  while (/[ \t\r\n]/.test(text[at] ?? '')) at++;
  return at;
}
