import type { ListedCommand } from '../context/slash-command';
import { TERMINAL_COMMANDS } from './typed-line';
import type {
  AutocompleteItem,
  AutocompleteProvider,
  AutocompleteSuggestions,
} from './tui-library';

export interface CompletionSources {
  /** Of the folder and the user. */
  readonly commands: readonly Pick<ListedCommand, 'name' | 'description'>[];
  /** Files of the working folder, relative to it. */
  readonly files: (signal: AbortSignal) => Promise<readonly string[]>;
  /** Those that match, best first. */
  readonly rank: (files: readonly string[], query: string) => readonly string[];
}

const MOST_FILES = 50;

/** Completes `/` commands at the beginning of the input and `@` files anywhere. */
export class Completion implements AutocompleteProvider {
  readonly #sources: CompletionSources;

  constructor(sources: CompletionSources) {
    this.#sources = sources;
  }

  async getSuggestions(
    lines: string[],
    cursorLine: number,
    cursorCol: number,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<AutocompleteSuggestions | null> {
    const before = (lines[cursorLine] ?? '').slice(0, cursorCol);
    const command = cursorLine === 0 ? /^\/[\w:.-]*$/.exec(before)?.[0] : undefined;
    if (command !== undefined) return suggestions(this.#commands(command), command);
    const mention = /(?:^|\s)(?<mention>@(?:"[^"]*|[^\s"]*))$/.exec(before)?.groups?.['mention'];
    if (mention === undefined) return null;
    const files = await this.#sources.files(signal);
    const ranked = this.#sources.rank(files, mention.replace(/^@"?/, ''));
    return suggestions(ranked.slice(0, MOST_FILES).map(toFileItem), mention);
  }

  applyCompletion(
    lines: string[],
    cursorLine: number,
    cursorCol: number,
    { value }: AutocompleteItem,
    prefix: string,
  ): { lines: string[]; cursorLine: number; cursorCol: number } {
    const line = lines[cursorLine] ?? '';
    // Somebody types faster than suggestions come: these are for what stood there before.
    if (!line.slice(0, cursorCol).endsWith(prefix)) return { lines, cursorLine, cursorCol };
    const head = `${line.slice(0, cursorCol - prefix.length)}${value} `;
    const changed = [...lines];
    changed[cursorLine] = `${head}${line.slice(cursorCol)}`;
    return { lines: changed, cursorLine, cursorCol: head.length };
  }

  #commands(prefix: string): readonly AutocompleteItem[] {
    const own = Object.entries(TERMINAL_COMMANDS).map(([name, description]) => ({
      name,
      description,
    }));
    const others = this.#sources.commands.filter(
      ({ name }) => !Object.hasOwn(TERMINAL_COMMANDS, name),
    );
    return [...own, ...others]
      .filter(({ name }) => `/${name}`.startsWith(prefix))
      .map(({ name, description }) => ({ value: `/${name}`, label: `/${name}`, description }));
  }
}

const suggestions = (
  items: readonly AutocompleteItem[],
  prefix: string,
): AutocompleteSuggestions | null => (items.length === 0 ? null : { items: [...items], prefix });

const toFileItem = (file: string): AutocompleteItem => ({
  value: /\s/.test(file) ? `@"${file}"` : `@${file}`,
  label: file,
});
