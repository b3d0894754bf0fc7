import { skipBlanks, skipPattern, skipValue, STRING } from './json-error';

/** The line, from 1, on which the value at `path` stands in a text that is JSON; the line of its nearest parent when it
 *  is not there. */
export function lineOf(text: string, path: readonly PropertyKey[]): number {
  let at = skipBlanks(text, text.startsWith('\uFEFF') ? 1 : 0);
  for (const key of path) {
    const inner = findInner(text, at, String(key));
    if (inner === undefined) break;
    at = inner;
  }
  return text.slice(0, at).split('\n').length;
}

/** Where the value of a member or an element begins. */
function findInner(text: string, open: number, key: string): number | undefined {
  const isObject = text[open] === '{';
  if (!isObject && text[open] !== '[') return undefined;
  let at = skipBlanks(text, open + 1);
  let found: number | undefined;
  for (let index = 0; text[at] !== '}' && text[at] !== ']' && at < text.length; index++) {
    let name = String(index);
    if (isObject) {
      const end = skipPattern(text, at, STRING).at;
      name = JSON.parse(text.slice(at, end)) as string;
      at = skipBlanks(text, skipBlanks(text, end) + 1);
    }
    // Of two members of one name the last counts.
    if (name === key) found = at;
    at = skipBlanks(text, skipValue(text, at).at);
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return found;
}
