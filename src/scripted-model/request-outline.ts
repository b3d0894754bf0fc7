/** The parts of a request that matter to usage and matching, as byte ranges: found in one pass over the bytes,
 *  about 1 ms a megabyte, half the price of JSON.parse and no garbage. */
export interface RequestOutline {
  /** Values of top-level keys: [start, end). */
  readonly fields: ReadonlyMap<string, Range>;
  readonly assistantMessages: number;
  readonly cacheMarks: readonly CacheMark[];
}

export type Range = readonly [start: number, end: number];

interface CacheMark {
  /** The bytes of the mark itself, with one comma: they are no part of the prompt. */
  readonly mark: Range;
  /** End of the object that bears the mark; null when it is the request itself. */
  readonly objectEnd: number | null;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const SPACE = 0x20;

/** Expects JSON as JSON.stringify writes it; white space between tokens is allowed. Never throws: of broken JSON
 *  it reports what it met. */
export function outlineRequest(bytes: Buffer): RequestOutline {
  const fields = new Map<string, Range>();
  const cacheMarks: CacheMark[] = [];
  const open: { depth: number; mark: Range }[] = [];
  let assistantMessages = 0;
  let depth = 0;
  let topKey = '';
  let topStart = 0;

  const closeField = (end: number): void => {
    if (topKey !== '') fields.set(topKey, [topStart, end]);
    topKey = '';
  };

  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        if (depth === 0) closeField(i);
        while (open.length > 0 && (open[open.length - 1]?.depth ?? 0) > depth) {
          const mark = open.pop()?.mark;
          if (mark) cacheMarks.push({ mark, objectEnd: depth === 0 ? null : i + 1 });
        }
        break;
      case COMMA:
        if (depth === 1) closeField(i);
        break;
      case QUOTE: {
        const start = i;
        i = endOfString(bytes, start);
        const colon = skipSpace(bytes, i + 1);
        if (bytes[colon] !== COLON) break;
        const value = skipSpace(bytes, colon + 1);
        if (depth === 1) {
          topKey = bytes.toString('latin1', start + 1, i);
          topStart = value;
        }
        if (depth === 3 && topKey === 'messages' && isText(bytes, start, '"role"')) {
          if (isText(bytes, value, '"assistant"')) assistantMessages++;
        }
        if (isText(bytes, start, '"cache_control"') && bytes[value] === OPEN_BRACE) {
          if (depth === 1) topKey = '';
          const end = bytes.indexOf(CLOSE_BRACE, value) + 1;
          if (end === 0) return { fields, assistantMessages, cacheMarks };
          open.push({ depth, mark: withComma(bytes, start, end) });
          i = end - 1;
        }
        break;
      }
      case undefined:
        break;
    }
  }
  return { fields, assistantMessages, cacheMarks };
}

/** Index of the closing quote. */
function endOfString(bytes: Buffer, start: number): number {
  let i = start + 1;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}

function skipSpace(bytes: Buffer, from: number): number {
  let i = from;
  while ((bytes[i] ?? QUOTE) <= SPACE) i++;
  return i;
}

function isText(bytes: Buffer, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}

/** The comma before the mark goes with it, or the one behind when the mark comes first. */
function withComma(bytes: Buffer, start: number, end: number): Range {
  let before = start - 1;
  while ((bytes[before] ?? QUOTE) <= SPACE) before--;
  if (bytes[before] === COMMA) return [before, end];
  const behind = skipSpace(bytes, end);
  return bytes[behind] === COMMA ? [start, behind + 1] : [start, end];
}
