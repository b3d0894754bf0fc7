import { ago } from '../../../src/cli/output/ago';
import { list, type ListedSession } from '../../../src/cli/list';
import { reportLines, row } from '../../../src/cli/operator/report-lines';
import { table } from '../../../src/cli/output/table';
import { createTheme } from '../../../src/terminal/theme';
import { FakeSurroundings } from '../../support/fake-surroundings';

const NOW = Date.parse('2026-03-04T12:00:00Z');
const widthOf = (text: string): number =>
  Array.from(text).reduce((sum, character) => sum + (/\p{Script=Han}/u.test(character) ? 2 : 1), 0);
const COLUMNS = [
  { title: 'NAME' },
  { title: 'FOLDER', cut: 'start', least: 6 },
  { title: 'SUMMARY', cut: 'end', least: 7 },
] as const;
const cells = (...texts: readonly string[]) => texts.map((text) => ({ text }));

test('columns are aligned as a terminal counts them', () => {
  const rows = [cells('one', '/日本/語', 'wide'), cells('two', '/abc', 'narrow')];

  expect(table(COLUMNS, rows, { columns: null, widthOf })).toEqual([
    'NAME  FOLDER    SUMMARY',
    'one   /日本/語  wide',
    'two   /abc      narrow',
  ]);
});

test('what is too wide for the terminal is cut where it says least, and no line is wider', () => {
  const rows = [cells('one', '/home/ada/projects/engine', 'makes all tests pass again')];

  const lines = table(COLUMNS, rows, { columns: 40, widthOf });

  expect(lines[1]).toBe('one   …projects/engine  makes all tests…');
  for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(40);
});

test.each([
  ['2026-03-04T11:59:30Z', 'just now'],
  ['2026-03-04T11:57:00Z', '3 min ago'],
  ['2026-03-04T00:01:00Z', '11 h ago'],
  ['2026-02-01T12:00:00Z', '31 d ago'],
  ['2026-03-04T12:00:05Z', 'just now'],
])('%s is %s', (at, text) => {
  expect(ago(at, NOW)).toBe(text);
});

describe('ls', () => {
  const sessionId = '00000000-0000-4000-8000-000000000001';
  const sessions: readonly ListedSession[] = [
    { sessionId, cwd: '/a', createdAt: '2026-03-04T11:57:00Z', state: 'ended' },
    {
      sessionId: sessionId.replace('1', '2'),
      cwd: '/home/ada/projects/analytical-engine',
      createdAt: '2026-03-04T11:59:00Z',
      state: 'open',
      status: 'awaiting-approval',
      waitingFor: 'approval: Bash',
    },
  ];

  test('on a terminal fits its width, tells how long ago, colours what waits, and counts', async () => {
    const world = new FakeSurroundings();
    const layout = { columns: 80, theme: createTheme('all'), widthOf, nowMs: NOW };

    await list(
      { json: false },
      { stdout: world.of().stdout, sessions: async () => sessions, layout },
    );

    const [, first = '', second, counts] = world.stdout.text.split('\n');
    expect(first).toMatch(/ {2}1 min ago {2}\x1b\[33mawaiting-approval…\x1b\[39m {2}…/);
    expect(first).toContain('engine');
    expect(first.replace(/\x1b\[\d+m/g, '').length).toBeLessThanOrEqual(80);
    expect(second).toMatch(/ {2}3 min ago {2}\x1b\[2mended\x1b\[22m +\/a$/);
    expect(counts).toBe('2 sessions: 1 awaiting-approval, 1 ended');
  });

  test('elsewhere has no sequences, cuts nothing, and tells instants', async () => {
    const world = new FakeSurroundings();

    await list({ json: false }, { stdout: world.of().stdout, sessions: async () => sessions });

    expect(world.stdout.text).not.toContain('\x1b');
    expect(world.stdout.text).toContain(
      '2026-03-04 11:59  awaiting-approval (approval: Bash)  /home/ada/projects/analytical-engine',
    );
  });
});

test('a value of a report is folded under itself, and a command never', () => {
  const layout = { columns: 40, theme: createTheme('plain'), widthOf, nowMs: NOW };
  const command = `everloop approve ${'0'.repeat(36)} toolu_1`;

  const lines = reportLines(
    [row('trouble', 'the Temporal server does not answer'), { type: 'command', text: command }],
    layout,
  );

  expect(lines).toEqual([
    '  trouble      the Temporal server does',
    '               not answer',
    `  ${command}`,
  ]);
});
