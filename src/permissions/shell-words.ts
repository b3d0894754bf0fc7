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
  /** The shell replaces some of it by what only it knows: files, variables, lists. */
  readonly expands: boolean;
}

interface Word {
  readonly raw: string;
  readonly value: string;
  readonly expands: boolean;
}

/** Words that begin a structure; what they contain is not looked at. */
const RESERVED = new Set(
  '! { } [[ if then elif else fi for while until do done case esac select function coproc'.split(
    ' ',
  ),
);

/** Tried in this order at every place of the line; the first that fits decides. */
const TOKENS: readonly (readonly [Token, RegExp])[] = [
  // NUL, carriage returns and blanks that are none for the shell hide text from people.
  [
    'control',
    /[\0-\x08\x0b-\x1f\x7f-\xa0\xad\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]/y,
  ],
  ['continuation', /(?<=^|[ \t\n])(?:\\\n)+|(?:\\\n)+(?=[ \t])/y],
  // The shell joins the halves before it looks for words: `$\⏎(` is `$(`.
  ['joined', /\\\n/y],
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
  | 'joined'
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
  control: 'a control character or an unusual blank',
  joined: 'a line that is broken inside a word',
  lone_quote: 'a quote that is not closed',
  substitution: 'a substitution',
  here_document: 'a here-document',
  redirection: 'a redirection to a file',
  parenthesis: 'a sub-shell or function',
};

export function splitCommandLine(text: string): CommandLine {
  // The Bash tool drops them as well: a backslash before them breaks no line.
  const line = text.replace(/\n+$/, '');
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
    case 'joined':
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
      takeDoubleQuoted(found, text);
      break;
    case 'plain':
      extendWord(found, text, text, /[$*?[{~]/.test(text));
      break;
    case 'control':
    case 'lone_quote':
    case 'substitution':
      extendWord(found, text, text);
      break;
  }
}

function takeDoubleQuoted(found: Found, text: string): void {
  const whole = text.replace(/\\[^]/g, (pair) => (pair === '\\\n' ? '' : pair));
  if (/(?<!\\)(?:\\\\)*(?:`|\$[({[])/.test(whole)) found.unclear ??= 'a substitution';
  const hasVariable = /(?<!\\)(?:\\\\)*\$/.test(whole);
  extendWord(found, text, whole.slice(1, -1).replace(/\\(["\\$`])/g, '$1'), hasVariable);
}

function extendWord(found: Found, raw: string, value: string, expands = false): void {
  const { word } = found;
  found.word = {
    raw: (word?.raw ?? '') + raw,
    value: (word?.value ?? '') + value,
    expands: expands || word?.expands === true,
  };
}

function endWord(found: Found): void {
  if (found.word !== null) found.words.push(found.word);
  found.word = null;
}

function endCommand(found: Found): void {
  endWord(found);
  if (found.words.length === 0) return;
  found.unclear ??= unclearStart(found.words);
  found.commands.push({
    text: found.words.map(({ raw }) => raw).join(' '),
    words: found.words.map(({ value }) => value),
    expands: found.words.some(({ expands }) => expands),
  });
  found.words = [];
}

/** An expansion in the first word decides which program runs. Behind `time` a command begins again. */
function unclearStart(words: readonly Word[]): string | null {
  const first = words.findIndex(({ raw }, index) => {
    const isTimed = words.slice(0, index).every((word) => /^(?:time|-p|--)$/.test(word.raw));
    return !isTimed || !/^(?:time|-p|--)$/.test(raw);
  });
  const raw = words[first]?.raw;
  if (raw === undefined || RESERVED.has(raw)) return 'a control structure';
  return /[$`{*?[]|^~[^/]/.test(raw) ? 'a computed command name' : null;
}
