import { disk, type FileFacts } from '../../disk/disk';

/** Tells one file from another under the same name. Inode numbers are given out again at once, so the time of
 *  birth belongs to it. */
export function fileIdentity(stat: FileFacts): string {
  return `${stat.dev}:${stat.ino}:${stat.birthtimeMs}`;
}

/** What lies under the path now. Synchronous: some microseconds, where a trip through the thread pool costs
 *  more than everything else that an append does beside its fdatasync. */
export function lookAt(path: string): { readonly identity: string; readonly size: number } {
  const stat = disk.statSync(path);
  return stat === undefined
    ? { identity: '', size: 0 }
    : { identity: fileIdentity(stat), size: stat.size };
}
