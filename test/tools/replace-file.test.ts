import { mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { disk } from '../../src/disk/disk';
import { clearTemporaryFiles, replaceFile } from '../../src/tools/replace-file';
import { TakenOver } from '../../src/tools/taken-over';

let folder: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-replace-')));
});

afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true });
});

const replacement = () => ({
  path: join(folder, 'a.txt'),
  bytes: Buffer.from('whole'),
  mode: null,
  callFolder: join(folder, 'calls', 'call-1'),
});

test('attempts of one call that overlap do not disturb each other', async () => {
  await Promise.all([replaceFile(replacement()), replaceFile(replacement())]);

  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('whole');
  expect(readdirSync(folder)).toEqual(['a.txt']);
});

test('an attempt that a later one has cleared away leaves it to that one to say what came of the call', async () => {
  const rename = disk.rename.bind(disk);
  jest.spyOn(disk, 'rename').mockImplementationOnce(async (from, to) => {
    await clearTemporaryFiles(replacement());
    return rename(from, to);
  });

  await expect(replaceFile(replacement())).rejects.toThrow(TakenOver);

  expect(readdirSync(folder)).toEqual([]);
});
