import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/interface';
import { LOOK_AT_FOLDER } from './activity-options';
import type { FolderLook, FolderSeen } from './interface';

const { lookAtFolder: look } = proxyActivities<Activities>(LOOK_AT_FOLDER);

/** Asks a Worker of a workspace whether the folder of a session is there. For whoever wants to move it there, and may
 *  sit at a third host. Fails: ActivityFailure when nobody there looks in time. */
export function lookAtFolder({ sessionId, taskQueue }: FolderLook): Promise<FolderSeen> {
  return look.executeWithOptions({ taskQueue }, [sessionId]);
}
