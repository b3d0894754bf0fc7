import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** A temporary folder, links resolved. */
export interface Folder {
  readonly path: string;
  write(files: Readonly<Record<string, string | Buffer>>): Promise<void>;
  remove(): Promise<void>;
}

export async function createFolder(): Promise<Folder> {
  const root = await realpath(await mkdtemp(path.join(os.tmpdir(), 'everloop-context-')));
  return {
    path: root,
    async write(files) {
      for (const [name, content] of Object.entries(files)) {
        await mkdir(path.dirname(path.join(root, name)), { recursive: true });
        await writeFile(path.join(root, name), content);
      }
    },
    remove: () => rm(root, { recursive: true }),
  };
}
