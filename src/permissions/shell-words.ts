/** A shell line as far as permission rules need it. Conservative: whatever is not plainly a list of simple
 *  commands is `unclear`, and then no prefix rule may allow it. */
export interface CommandLine {
  readonly commands: readonly ShellCommand[];
  /** Why the line cannot be taken apart with certainty; null: it can. */
  readonly unclear: string | null;
}

export interface ShellCommand {
  /** As written, with single blanks, without comments and harmless redirections. */
  readonly text: string;
  /** Quotes and backslashes removed. */
  readonly words: readonly string[];
}

interface Word {
  readonly raw: string;
  readonly value: string;
}

/** Words that begin a structure; what they contain is not looked at. */
const RESERVED = new Set(
  '! { } [[ if then elif else fi for while until do done case esac select function coproc time'.split(
    ' ',
  ),
);

/** Tried in this order at every place of the line; the first that fits decides. */
const TOKENS: readonly (readonly [Token, RegExp])[] = [
  // NUL, carriage returns and their like hide text from people.
  ['control', /[\0-\x08\x0b-\x1f\x7f]/y],
  ['continuation', /\\\n/y],
  ['escaped', /\\[^]/y],
  ['single_quoted', /'[^']*'/y],
  ['double_quoted', /"(?:[^"\\]|\\[^])*"/y],
  ['lone_quote', /['"\\]/y],
  ['substitution', /\$[({['"]|`|[<>]\(/y],
  ['here_document', /<</y],
  ['no_redirection', /(?:&>>?|>>|>\||[<>])[ \t]*\/dev\/null(?=[\s;&|<>]|$)/y],
  ['no_redirection', /[<>]&[ \t]*(?:\d+|-)(?=[\s;&|<>]|$)/y],
  ['redirection', /&>|[<>]/y],
  ['parenthesis', /[()]/y],
  ['separator', /&&|\|[|&]?|[;&\n]/y],
  ['blank', /[ \t]+/y],
  ['plain', /[\w./:=@%+,-]+|[^]/y],
];

type Token =
  | 'control'
  | 'continuation'
  | 'escaped'
  | 'single_quoted'
  | 'double_quoted'
  | 'lone_quote'
  | 'substitution'
  | 'here_document'
  | 'no_redirection'
  | 'redirection'
  | 'parenthesis'
  | 'separator'
  | 'blank'
  | 'plain';

const UNCLEAR: Readonly<Partial<Record<Token, string>>> = {
  control: 'a control character',
  lone_quote: 'a quote that is not closed',
  substitution: 'a substitution',
  here_document: 'a here-document',
  redirection: 'a redirection to a file',
  parenthesis: 'a sub-shell or function',
};

export function splitCommandLine(line: string): CommandLine {
  const found: Found = { commands: [], words: [], word: null, unclear: null };
  for (let at = 0; at < line.length;) {
    const [token, text] = readToken(line, at, found.word === null);
    at += text.length;
    take(found, token, text);
  }
  endCommand(found);
  return { commands: found.commands, unclear: found.unclear };
}

interface Found {
  readonly commands: ShellCommand[];
  words: Word[];
  word: Word | null;
  unclear: string | null;
}

function readToken(line: string, at: number, atWordStart: boolean): readonly [Token, string] {
  if (atWordStart && line[at] === '#') return ['blank', /[^\n]*/.exec(line.slice(at))?.[0] ?? ''];
  for (const [token, pattern] of TOKENS) {
    pattern.lastIndex = at;
    const match = pattern.exec(line);
    if (match !== null) return [token, match[0]];
  }
  throw new Error(`No token fits at ${at}.`);
}

function take(found: Found, token: Token, text: string): void {
  found.unclear ??= UNCLEAR[token] ?? null;
  switch (token) {
    case 'continuation':
      break;
    case 'blank':
      endWord(found);
      break;
    case 'separator':
    case 'parenthesis':
      endCommand(found);
      break;
    case 'no_redirection':
    case 'redirection':
    case 'here_document':
      // The 2 of `2>/dev/null` is no word.
      if (/^\d+$/.test(found.word?.raw ?? '')) found.word = null;
      endWord(found);
      break;
    case 'escaped':
      extendWord(found, text, text.slice(1));
      break;
    case 'single_quoted':
      extendWord(found, text, text.slice(1, -1));
      break;
    case 'double_quoted':
      if (/(?<!\\)(?:\\\\)*(?:`|\$[({[])/.test(text)) found.unclear ??= 'a substitution';
      extendWord(found, text, text.slice(1, -1).replace(/\\(["\\$`])|\\\n/g, '$1'));
      break;
    case 'control':
    case 'lone_quote':
    case 'substitution':
    case 'plain':
      extendWord(found, text, text);
      break;
  }
}

function extendWord(found: Found, raw: string, value: string): void {
  found.word = { raw: (found.word?.raw ?? '') + raw, value: (found.word?.value ?? '') + value };
}

function endWord(found: Found): void {
  if (found.word !== null) found.words.push(found.word);
  found.word = null;
}

function endCommand(found: Found): void {
  endWord(found);
  const [first] = found.words;
  if (first === undefined) return;
  found.unclear ??= unclearStart(first);
  found.commands.push({
    text: found.words.map(({ raw }) => raw).join(' '),
    words: found.words.map(({ value }) => value),
  });
  found.words = [];
}

/** An expansion in the first word decides which program runs. */
function unclearStart({ raw }: Word): string | null {
  if (RESERVED.has(raw)) return 'a control structure';
  return /[$`{*?[]|^~[^/]/.test(raw) ? 'a computed command name' : null;
}
