import { redact } from './redact';

/** Of a text that may enter Event History. */
export const PREVIEW_CHARS = 200;

/** The server takes 400 bytes for a summary; the rest is what stands around the text, also when it is encrypted. */
const PREVIEW_BYTES = 270;

/** Longer texts are cut before they are looked at: what follows would not be shown. */
const LOOKED_AT_CHARS = 2_000;

/** Beginning of a text for people: redacted, one line, at most 200 characters and 270 bytes. */
export function preview(text: string): string {
  const line = redact(text.slice(0, LOOKED_AT_CHARS)).replace(/\s+/g, ' ').trim();
  return cutLine(line);
}

/** The line, or its beginning, if it is longer than a summary may be. */
export function cutLine(line: string): string {
  if (line.length <= PREVIEW_CHARS && bytesOf(line) <= PREVIEW_BYTES) return line;
  let shown = '';
  let bytes = ELLIPSIS_BYTES;
  for (const character of line) {
    bytes += bytesOf(character);
    if (shown.length + character.length >= PREVIEW_CHARS || bytes > PREVIEW_BYTES) break;
    shown += character;
  }
  return `${shown}…`;
}

/** As JSON in UTF-8; the Workflow sandbox has no Buffer. */
function bytesOf(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (code < 0x20) bytes += 6;
    else if (code < 0x80) bytes += character === '"' || character === '\\' ? 2 : 1;
    // Half a pair is written as \ud800.
    else if (code >= 0xd800 && code < 0xe000) bytes += 6;
    else if (code < 0x800) bytes += 2;
    else bytes += code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

const ELLIPSIS_BYTES = 3;
