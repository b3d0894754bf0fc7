import { constants } from 'node:fs';
import { disk } from './disk';

/** Creates the file with these bytes and this mode, on disk when it resolves: without that a power cut can leave an empty
 *  file under the name that it is renamed to. `mode` null: as the system gives it to a new file. */
export async function writeSynced(file: string, bytes: Buffer, mode: number | null): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  const handle = await disk.open(file, flags, mode ?? 0o666);
  try {
    await handle.writeFile(bytes);
    // The mask of new files took bits away.
    if (mode !== null) await handle.chmod(mode);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}
