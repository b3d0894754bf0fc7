import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { isReadOnlyCommand } from '../../../src/tools/shell/read-only-command';

test.each([
  'cat /proc/uptime; sleep 1.5; cat /proc/uptime',
  'ls -la',
  'ls -la src/*.ts | head -n 5',
  "grep -rn 'a $b > c' src && echo found || echo 'not found'",
  'rg "two words" src 2>/dev/null',
  'find . -name "*.ts" -type f 2>&1 | wc -l;',
  'git log --oneline -5 && git status --short',
  'git diff HEAD~1 -- src',
  'git branch -a',
  'sort -rn -k2 a.txt | uniq -c',
  'date +%s',
  'pwd',
])('%s changes nothing', (command) => {
  expect(isReadOnlyCommand(command)).toBe(true);
});

test.each([
  '',
  'touch x',
  'echo a > x',
  'echo a>x',
  'echo a >> x',
  'echo a &> x',
  'ls >/dev/null/../x',
  'ls 2>x',
  'ls &',
  'ls & touch x',
  'ls\ntouch x',
  'ls; touch x',
  'ls | tee x',
  'echo $(touch x)',
  'echo `touch x`',
  'echo "$(touch x)"',
  'cat <(touch x)',
  '(touch x)',
  '{ touch x; }',
  'A=b ls',
  'ls $HOME',
  'find . -delete',
  'find . -exec rm {} +',
  "find . '-exec' rm",
  'find . -fprint x',
  'find *',
  'sort -o x a',
  'sort -uo x a',
  'sort --output=x a',
  'sort --compress-program=sh a',
  'uniq a x',
  'rg --pre ./evil x',
  'git diff --output=x',
  'git diff --outp=x',
  'git -c core.pager=evil log',
  'git branch new',
  'git tag v1',
  'git commit -m x',
  'git diff --ext-diff',
  "test -v 'a[$(touch x)]'",
  "printf -v 'a[$(touch x)]' b",
  'date -s 2020-01-01',
  'cd sub',
  './ls',
  '/tmp/ls',
  '*',
  'ls \\; touch x',
  'ls\u00a0',
  'if true; then ls; fi',
  'ls &&',
  '; ls',
])('%j is not taken for reading', (command) => {
  expect(isReadOnlyCommand(command)).toBe(false);
});

/** Names, sizes and contents below a folder. */
function fingerprint(folder: string): string {
  const names = readdirSync(folder, { recursive: true }).map(String).sort();
  const parts = names.map((name) => {
    const file = path.join(folder, name);
    return statSync(file).isFile() ? `${name}:${readFileSync(file, 'latin1')}` : name;
  });
  return createHash('sha256').update(parts.join('\0')).digest('hex');
}

test('whatever is taken for reading leaves the folder as it was when Bash runs it', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'everloop-read-only-'));
  writeFileSync(path.join(folder, 'a'), 'b\na\n');
  writeFileSync(path.join(folder, '-delete'), '');
  const commands = [
    'ls',
    'cat',
    'echo',
    'find',
    'sort',
    'uniq',
    'head',
    'grep',
    'touch',
    'rm',
    'tee',
  ];
  const words = ['a', 'x', '*', '-o', '-delete', '-exec', '{}', '~', 'A=b', '-n', '-la', '1'];
  const marks = [';', '&&', '||', '|', '&', '>', '>>', '2>&1', '>/dev/null', '<', '\n', '#', '\\'];
  const wraps = ['$(touch x)', '`touch x`', "'a b'", '"a;b"', '"', "'", '(', ')', '$', '!', '\t'];
  const piece = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...commands) },
    { weight: 4, arbitrary: fc.constantFrom(...words) },
    { weight: 3, arbitrary: fc.constantFrom(...marks) },
    { weight: 1, arbitrary: fc.constantFrom(...wraps) },
  );
  const spaced = fc.tuple(piece, fc.constantFrom(' ', ' ', ' ', '')).map((pair) => pair.join(''));
  const command = fc.array(spaced, { minLength: 1, maxLength: 7 }).map((pieces) => pieces.join(''));
  const before = fingerprint(folder);
  let runs = 0;

  fc.assert(
    fc.property(command.filter(isReadOnlyCommand), (text) => {
      runs++;
      try {
        execFileSync('bash', ['-c', text], { cwd: folder, stdio: 'ignore', timeout: 5_000 });
      } catch {
        // It may fail; it may not change anything.
      }
      expect(fingerprint(folder)).toBe(before);
    }),
    { numRuns: 100 },
  );

  expect(runs).toBeGreaterThanOrEqual(100);
  rmSync(folder, { recursive: true });
});
