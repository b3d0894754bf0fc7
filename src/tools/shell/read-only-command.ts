/** What a word of a command was made of. */
interface Word {
  readonly text: string;
  /** It holds a pattern that the shell would replace by file names, which may look like options. */
  readonly hasGlob: boolean;
}

type ArgumentRule = (args: readonly Word[]) => boolean;

const anyArguments: ArgumentRule = () => true;
const noGlobAnd =
  (rule: (args: readonly string[]) => boolean): ArgumentRule =>
  (args) =>
    args.every((arg) => !arg.hasGlob) && rule(args.map((arg) => arg.text));

/** No option of these writes a file or starts a program. */
const PLAIN_READERS = [
  ...['ls', 'cat', 'head', 'tail', 'wc', 'grep', 'egrep', 'fgrep', 'pwd', 'echo', 'true', 'false'],
  ...[
    'sleep',
    'basename',
    'dirname',
    'realpath',
    'readlink',
    'stat',
    'du',
    'df',
    'cut',
    'tr',
    'nl',
  ],
  ...['cmp', 'diff', 'uname', 'whoami', 'id', 'which', 'seq', 'uptime', 'nproc', 'tac'],
  ...['md5sum', 'sha256sum', 'ps'],
];

const GIT_READERS = ['status', 'log', 'diff', 'show', 'rev-parse', 'ls-files', 'blame', 'describe'];
const GIT_LISTINGS: Readonly<Record<string, RegExp>> = {
  branch: /^(-a|-r|-v|-vv|--all|--list|--show-current)$/,
  remote: /^(-v|--verbose)$/,
  tag: /^(-l|--list)$/,
};

const READERS: ReadonlyMap<string, ArgumentRule> = new Map([
  ...PLAIN_READERS.map((name): [string, ArgumentRule] => [name, anyArguments]),
  ['find', noGlobAnd((args) => !args.some((arg) => /^-(exec|ok|delete|fprint|fls)/.test(arg)))],
  [
    'rg',
    noGlobAnd((args) => !args.some((arg) => /^--(pre|hostname-bin|search-zip)|^-\w*z/.test(arg))),
  ],
  [
    'sort',
    noGlobAnd((args) => args.every((arg) => /^[^-]|^-[bdfghinrRsuV]+$|^-k[\d.,a-z]+$/.test(arg))),
  ],
  ['uniq', noGlobAnd((args) => args.every((arg) => /^-[cdiu]+$/.test(arg)))],
  ['date', noGlobAnd((args) => args.every((arg) => /^\+|^-u$|^-R$|^-I\w*$|^--utc$/.test(arg)))],
  ['git', noGlobAnd(isReadingGit)],
]);

/** Whether a command certainly changes nothing. Knows a small part of the shell's language and says no to
 *  everything else: substitutions, variables, redirections to files, subshells, several lines. */
export function isReadOnlyCommand(command: string): boolean {
  const simpleCommands = parse(command.replace(/^[ \t\n]+|[ \t\n]+$/g, ''));
  return simpleCommands !== undefined && simpleCommands.every(isReader);
}

function isReader([name, ...args]: readonly Word[]): boolean {
  return name !== undefined && !name.hasGlob && (READERS.get(name.text)?.(args) ?? false);
}

function isReadingGit([subcommand = '', ...args]: readonly string[]): boolean {
  const listing = GIT_LISTINGS[subcommand];
  if (listing !== undefined) return args.every((arg) => listing.test(arg));
  // Options may be shortened: --outp is --output.
  const writes = /^--(o(?!neline)|ext|textc)|^-o/;
  return GIT_READERS.includes(subcommand) && !args.some((arg) => writes.test(arg));
}

const SEPARATOR = /^(?:;|&&|\|\||\|)/;
const HARMLESS_REDIRECTION = /^(?:2>&1|[12]?> ?\/dev\/null)(?=[ \t;|&]|$)/;
/** One piece of a word. Outside quotes only characters that mean nothing to the shell. */
const PIECE = /^(?:'([^'\p{Cc}]*)'|"([^"$`\\!\p{Cc}]*)"|([\w./:,@%+=~^-]+)|([*?[\]]))/u;

/** The words of each simple command, or undefined for anything unusual. */
function parse(command: string): readonly (readonly Word[])[] | undefined {
  const commands: Word[][] = [[]];
  let rest = command;
  while (rest !== '') {
    const words = commands.at(-1) ?? [];
    const blank = /^[ \t]+/.exec(rest)?.[0];
    const redirection = HARMLESS_REDIRECTION.exec(rest)?.[0];
    const separator = SEPARATOR.exec(rest)?.[0];
    if (blank !== undefined) {
      rest = rest.slice(blank.length);
    } else if (redirection !== undefined) {
      rest = rest.slice(redirection.length);
    } else if (separator !== undefined) {
      rest = rest.slice(separator.length).replace(/^[ \t]+/, '');
      if (rest !== '' || separator !== ';') commands.push([]);
    } else {
      const word = readWord(rest);
      if (word === undefined) return undefined;
      words.push(word);
      rest = rest.slice(word.length);
    }
  }
  return commands;
}

function readWord(text: string): (Word & { readonly length: number }) | undefined {
  let word = '';
  let length = 0;
  let hasGlob = false;
  for (let piece = PIECE.exec(text); piece !== null; piece = PIECE.exec(text.slice(length))) {
    const [whole, single, double, plain, glob] = piece;
    word += single ?? double ?? plain ?? glob ?? '';
    hasGlob ||= glob !== undefined;
    length += whole.length;
  }
  // What follows a word must end it: `2>x` and `a&b` do not.
  const isEnded = /^(?:$|[ \t;|]|&&)/.test(text.slice(length));
  return length > 0 && isEnded ? { text: word, hasGlob, length } : undefined;
}
