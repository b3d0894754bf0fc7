import { join } from 'node:path';
import { disk } from '../../disk/disk';
import { createFile, makeFolder } from './atomic-write';
import { unlessMissing } from './disk-error';

/** true: nobody has claimed the work of that day in this folder before. `day`: "2026-11-22". Fails: StoreError. */
export async function claimDay(folder: string, work: string, day: string): Promise<boolean> {
  await makeFolder(folder);
  const prefix = `${work}.`;
  const name = `${prefix}${day}`;
  const earlier = (await disk.readdir(folder)).filter((one) => one.startsWith(prefix));
  // A process whose clock is behind must not do it twice.
  if (earlier.some((one) => one >= name)) return false;
  if (!(await createFile(join(folder, name), ''))) return false;
  for (const one of earlier) await unlessMissing(disk.unlink(join(folder, one)));
  return true;
}
