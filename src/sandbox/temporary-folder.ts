import { lstat, mkdir } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';

/** Of the commands of one session. It stays when they end: the next one may look for what they left. */
export function temporaryFolderOf(sessionId: string): string {
  return path.join(tmpdir(), `everloop-${userInfo().uid}`, 'sandbox', sessionId);
}

/** Makes it, open to its user alone. Fails: Error when somebody else has put something in its place. */
export async function requireTemporaryFolder(folder: string): Promise<string> {
  const { uid } = userInfo();
  const parents = [path.dirname(path.dirname(folder)), path.dirname(folder), folder];
  for (const each of parents) {
    await mkdir(each, { mode: 0o700 }).catch(() => undefined);
    const stats = await lstat(each);
    if (!stats.isDirectory() || (uid >= 0 && stats.uid !== uid)) {
      throw new Error(
        `${each} is not a folder of user ${uid}. Remove it, or let its owner do so, and run the command again.`,
      );
    }
  }
  return folder;
}
