import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFileStore } from '../../src/transcript/files/file-store';
import type { TranscriptStore } from '../../src/transcript/store';
import type { StorePlace } from './contract/given';

/** A file store in a temporary folder. */
export interface FilePlace extends StorePlace {
  readonly home: string;
  readonly projectsFolder: string;
}

export function createFilePlace(): FilePlace {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-store-')));
  const home = join(root, 'home');
  const projectsFolder = join(root, 'projects');
  const cwd = join(root, 'work space.d');
  mkdirSync(cwd);
  const stores: TranscriptStore[] = [];
  return {
    home,
    projectsFolder,
    cwd,
    open: async () => {
      const store = createFileStore({ home, projectsFolder });
      stores.push(store);
      return store;
    },
    dispose: async () => {
      await Promise.all(stores.map((store) => store.close()));
      rmSync(root, { recursive: true });
    },
  };
}
