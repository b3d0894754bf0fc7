import { basename, join } from 'node:path';
import { disk } from '../../disk/disk';
import { createFile, makeFolder } from './atomic-write';

/** Copies what lies behind an offset into the folder, before it is cut off. */
export async function keepTorn(torn: {
  readonly fd: number;
  readonly from: number;
  readonly path: string;
  readonly folder: string;
}): Promise<void> {
  const bytes = Buffer.alloc(disk.fstatSync(torn.fd).size - torn.from);
  disk.readSync(torn.fd, bytes, 0, bytes.length, torn.from);
  await makeFolder(torn.folder);
  const name = `${basename(torn.path)}.${fileStamp()}.${torn.from}`;
  await createFile(join(torn.folder, name), bytes);
}

/** The present instant as part of a file name: 20261121T101500123Z. */
export function fileStamp(): string {
  return new Date().toISOString().replace(/[-:.]/g, '');
}
