import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppendFile } from '../../src/transcript/files/append-file';
import { replaceInode } from '../../src/transcript/files/take-over';
import { StoreError } from '../../src/transcript/store-error';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'everloop-fencing-'));
  path = join(folder, 'file.jsonl');
  writeFileSync(path, 'before\n');
});

afterEach(() => rmSync(folder, { recursive: true }));

function appendFile(): AppendFile {
  return new AppendFile(path, { tornFolder: join(folder, 'torn'), keepsWholeLines: false });
}

const stale = () => {
  throw new StoreError('lease_stale', 'over');
};

test('a write between the fence and a take-over goes into the void and is not acknowledged', async () => {
  let isOver = false;
  // The take-over happens at the worst moment: the fence was passed, the write comes next.
  const fence = () => {
    if (isOver) stale();
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    isOver = true;
  };

  const zombie = appendFile().append(fence, { text: 'zombie\n', durable: true });

  await expect(zombie).rejects.toMatchObject({ code: 'lease_stale' });
  expect(readFileSync(path, 'utf8')).toBe('before\n');
});

test('a cut between the fence and a take-over goes into the void', async () => {
  appendFileSync(path, 'torn');
  let looks = 0;
  const fence = () => {
    looks += 1;
    if (looks < 2) return;
    copyFileSync(path, `${path}.copy`);
    renameSync(`${path}.copy`, path);
    appendFileSync(path, ' and more\n');
  };

  await appendFile().cut(fence, 'before\n'.length);

  expect(readFileSync(path, 'utf8')).toBe('before\ntorn and more\n');
});

test('a take-over that was itself overtaken does not put its copy in place', async () => {
  const overtake = () => {
    unlinkSync(join(folder, '.file.jsonl.2.takeover'));
    appendFileSync(path, 'of the third holder\n');
  };

  const zombie = replaceInode(path, 2, overtake);

  await expect(zombie).rejects.toMatchObject({ code: 'io' });
  expect(readFileSync(path, 'utf8')).toBe('before\nof the third holder\n');
});

test('a take-over removes the copies of those before it, not of those after', async () => {
  for (const epoch of [2, 4]) writeFileSync(join(folder, `.file.jsonl.${epoch}.takeover`), '');

  await replaceInode(path, 3, () => undefined);

  expect(() => unlinkSync(join(folder, '.file.jsonl.2.takeover'))).toThrow('ENOENT');
  unlinkSync(join(folder, '.file.jsonl.4.takeover'));
  expect(readFileSync(path, 'utf8')).toBe('before\n');
});
