// Needs: the built program (npm run build); starts a Temporal server and processes of its own.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Figure, Report } from '../../src/bench/report';

const MAIN = join(__dirname, '..', '..', 'dist', 'bench', 'main.js');
const run = promisify(execFile);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everloop-bench-test-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('a run of three turns measures them, writes JSON and plots, and leaves nothing behind', async () => {
  expect(existsSync(MAIN)).toBe(true);
  const json = join(folder, 'report.json');
  const args = [
    MAIN,
    '--quick',
    '--only',
    'turns',
    '--turns',
    '3',
    '--json',
    json,
    '--out',
    folder,
  ];

  const { stdout, stderr } = await run(process.execPath, args, {
    env: { ...process.env, TMPDIR: folder },
  });

  const report = JSON.parse(readFileSync(json, 'utf8')) as Report;
  const figureOf = (name: string): Figure | undefined =>
    report.sections[0]?.figures.find((figure) => figure.name === name);
  expect(figureOf('3 turns: events a turn')).toMatchObject({ count: 9, min: 12, p95: 12 });
  expect(figureOf('3 turns: empty loop, events a turn')).toMatchObject({ min: 12, p95: 12 });
  expect(figureOf('3 turns: time a turn')?.min).toBeGreaterThan(1);
  expect(stdout).toContain('3 turns: events a turn');
  expect(stderr).toContain('turns: 3, 1 of 3');
  expect(readdirSync(folder).sort()).toEqual(['bench-bytes.svg', 'bench-ms.svg', 'report.json']);
}, 300_000);
