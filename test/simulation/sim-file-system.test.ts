import { Random } from '../../src/simulation/random';
import { SimFileSystem } from '../../src/simulation/sim-file-system';
import type { SimFolder } from '../../src/simulation/sim-inode';

const NEW = { creates: true, isExclusive: true, truncates: false, appends: true };
const SEEDS = Array.from({ length: 40 }, (_none, seed) => seed);

/** What power cuts leave of the file. */
function leftovers(prepare: (files: SimFileSystem) => void): Set<string | null> {
  return new Set(
    SEEDS.map((seed) => {
      const files = new SimFileSystem(() => 0);
      files.makeFolder('/folder');
      files.syncAll();
      prepare(files);
      files.cutPower(new Random(seed));
      const left = files.find('/folder/file');
      return left?.kind === 'file' ? left.content().toString() : null;
    }),
  );
}

function write(files: SimFileSystem, text: string): void {
  const opened = files.open('/folder/file', { ...NEW, isExclusive: false }, 0o600);
  files.write(opened, Buffer.from(text), undefined);
}

const syncFolder = (files: SimFileSystem): void => (files.find('/folder') as SimFolder).sync();

test('content and name that were synced survive a power cut', () => {
  const left = leftovers((files) => {
    write(files, 'text');
    files.requireFile('/folder/file').sync();
    syncFolder(files);
  });

  expect([...left]).toEqual(['text']);
});

test('a name that was not synced may be gone, although the content was', () => {
  const left = leftovers((files) => {
    write(files, 'text');
    files.requireFile('/folder/file').sync();
  });

  expect(left).toEqual(new Set([null, 'text']));
});

test('content that was not synced may be whole, torn or gone', () => {
  const left = leftovers((files) => {
    write(files, 'text');
    syncFolder(files);
  });

  expect(left.has('')).toBe(true);
  expect(left.has('te')).toBe(true);
  expect(left.has('text')).toBe(true);
});

test('of two writes that were not synced, the second may survive alone', () => {
  const left = leftovers((files) => {
    write(files, 'one');
    write(files, 'two');
    syncFolder(files);
  });

  expect(left.has('\0\0\0two')).toBe(true);
});

test('a rename that was not synced leaves the old content or the new, never none', () => {
  const left = leftovers((files) => {
    write(files, 'old');
    files.requireFile('/folder/file').sync();
    syncFolder(files);
    files.write(files.open('/folder/new', NEW, 0o600), Buffer.from('new'), undefined);
    files.requireFile('/folder/new').sync();
    files.rename('/folder/new', '/folder/file');
  });

  expect(left).toEqual(new Set(['old', 'new']));
});
