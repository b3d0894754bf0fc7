import { CliError, messageOf } from '../cli-error';

/** What came in cannot be answered, so there is no result either: the message on stderr is all. */
export class UnusableInput extends CliError {}

export function unreadable(error: unknown): UnusableInput {
  return new UnusableInput(`Standard input cannot be read: ${messageOf(error)}.`);
}

/** The beginning of what was seen, so that a terminal takes none of it for an order. */
export function shownText(text: string): string {
  const shown = text.length > 200 ? `${text.slice(0, 200)}…` : text;
  return shown.replace(
    /\p{C}/gu,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
