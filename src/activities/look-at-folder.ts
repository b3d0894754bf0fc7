import { disk } from '../disk/disk';
import type { TranscriptStore } from '../transcript/store';
import type { FolderSeen } from '../workflows/interface';

export interface LookDeps {
  readonly store: TranscriptStore;
  /** This one, as others know it. */
  readonly host: string;
}

/** Whether a session could work here. One that was deleted has no folder anywhere. */
export async function lookAtFolder(
  { store, host }: LookDeps,
  sessionId: string,
): Promise<FolderSeen> {
  const session = await store.openSession(sessionId);
  return { isThere: session !== undefined && isFolder(session.meta.cwd), host };
}

function isFolder(path: string): boolean {
  try {
    return disk.statSync(path)?.isDirectory() === true;
  } catch {
    return false;
  }
}
