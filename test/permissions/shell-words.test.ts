import fc from 'fast-check';
import { splitCommandLine } from '../../src/permissions/shell-words';

const texts = (line: string) => splitCommandLine(line).commands.map(({ text }) => text);

test.each([
  ['npm test', ['npm test']],
  ['cd a && npm test', ['cd a', 'npm test']],
  ['a;b|c||d&e\nf', ['a', 'b', 'c', 'd', 'e', 'f']],
  ['a |& b', ['a', 'b']],
  ['git commit -m "a; b && c"', ['git commit -m "a; b && c"']],
  ["echo 'a | b'", ["echo 'a | b'"]],
  ['echo a\\;b', ['echo a\\;b']],
  ['npm \\\n  test', ['npm test']],
  ['npm   test\t-x ', ['npm test -x']],
  ['npm test 2>&1 | tail', ['npm test', 'tail']],
  ['npm test >/dev/null 2> /dev/null', ['npm test']],
  ['npm test &> /dev/null; ls', ['npm test', 'ls']],
  ['npm test # and; rm -rf x', ['npm test']],
  ['# a note\nnpm test', ['npm test']],
  ['echo a#b', ['echo a#b']],
  ['', []],
])('%j is taken apart', (line, expected) => {
  expect(splitCommandLine(line)).toMatchObject({ unclear: null });
  expect(texts(line)).toEqual(expected);
});

test.each([
  ['echo $(rm x)', 'a substitution'],
  ['echo "$(rm x)"', 'a substitution'],
  ['echo "\\\\$(rm x)"', 'a substitution'],
  ['echo `rm x`', 'a substitution'],
  ['echo ${x@P}', 'a substitution'],
  ["echo $'a'", 'a substitution'],
  ['diff <(a) b', 'a substitution'],
  ['cat <<EOF\nx\nEOF', 'a here-document'],
  ['cat <<< x', 'a here-document'],
  ['echo x > file', 'a redirection to a file'],
  ['echo x >/dev/nullx', 'a redirection to a file'],
  ['echo x >& file', 'a redirection to a file'],
  ['cat < file', 'a redirection to a file'],
  ["echo 'x", 'a quote that is not closed'],
  ['echo \\', 'a quote that is not closed'],
  ['(rm x)', 'a sub-shell or function'],
  ['f() { rm x; }', 'a sub-shell or function'],
  ['{ rm x; }', 'a control structure'],
  ['if a; then b; fi', 'a control structure'],
  ['! npm test', 'a control structure'],
  ['$CMD x', 'a computed command name'],
  ['{rm,-rf,x}', 'a computed command name'],
  ['npm test\r\nls', 'a control character or an unusual blank'],
  ['npm\u00a0test', 'a control character or an unusual blank'],
  ["npm $\\\n'\\'' ; rm x #'", 'a line that is broken inside a word'],
  ['npm "$\\\n(rm x)"', 'a substitution'],
  ['np\\\nm test', 'a line that is broken inside a word'],
  ['time', 'a control structure'],
  ['time -p ! npm test', 'a control structure'],
  ['time -- $CMD', 'a computed command name'],
])('%j is unclear: %s', (line, reason) => {
  expect(splitCommandLine(line).unclear).toBe(reason);
});

test('a quoted substitution is text', () => {
  expect(splitCommandLine(`echo '$(rm x)' "\\$(rm x)"`).unclear).toBeNull();
});

test('a quote in a comment does not swallow the next line', () => {
  expect(texts("npm test # it's\nrm x # '")).toEqual(['npm test', 'rm x']);
});

test('words are without quotes', () => {
  expect(splitCommandLine(`r\\m "a b"'c' "\\"d"`).commands[0]?.words).toEqual(['rm', 'a bc', '"d']);
});

test('no line is too strange to be taken apart, and no command is empty', () => {
  const piece = fc.constantFrom(
    'a',
    'rm',
    ' ',
    ';',
    '&&',
    '|',
    '"',
    "'",
    '\\',
    '$(',
    '`',
    '#',
    '\n',
    '>',
    '2',
    '(',
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const { commands } = splitCommandLine(pieces.join(''));
      return commands.every(({ words }) => words.length > 0);
    }),
  );
});
