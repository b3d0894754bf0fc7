import { firstChars } from './excerpt';

const OPENING = '<persisted-output>';
const PREVIEW_CHARS = 2_000;

/** What the model gets in place of a text that is stored in a file: size, place and beginning. */
export function persistedOutput(text: string, path: string): string {
  return [
    OPENING,
    `The output has ${text.length} characters, too many to show. All of it is in: ${path}`,
    '',
    `The first ${PREVIEW_CHARS} characters:`,
    firstChars(text, PREVIEW_CHARS),
    '…',
    '</persisted-output>',
  ].join('\n');
}

/** A long text that only begins like one is none. */
export const isPersistedOutput = (text: string): boolean =>
  text.startsWith(OPENING) && text.length < 2 * PREVIEW_CHARS;
