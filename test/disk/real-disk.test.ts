import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { transpiled } from '../support/transpiled';

const SCRIPT = path.join(__dirname, 'write-and-sync.ts');
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'everloop-disk-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function run(environment: Record<string, string>) {
  const env = { PATH: process.env['PATH'] ?? '', FOLDER: folder, ...environment };
  return spawnSync(process.execPath, [transpiled(SCRIPT)], { env, timeout: 60_000 });
}

test('every operation that changes something passes a numbered place before and behind it', () => {
  const log = path.join(folder, 'places');

  const { status } = run({ EVERLOOP_CRASH_LOG: log });

  expect(status).toBe(0);
  expect(readFileSync(log, 'utf8').split('\n')).toEqual([
    '1 disk.open.before',
    '2 disk.open.after',
    '3 disk.write.before',
    '4 disk.write.after',
    '5 disk.sync.before',
    '6 disk.sync.after',
    '7 disk.rename.before',
    '8 disk.rename.after',
    '',
  ]);
});

test('a process can be killed between a write and its sync', () => {
  const { signal } = run({ EVERLOOP_CRASH_AT: '5' });

  expect(signal).toBe('SIGKILL');
  expect(readFileSync(path.join(folder, 'draft'), 'utf8')).toBe('text');
});
