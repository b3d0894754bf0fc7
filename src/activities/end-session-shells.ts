import { endShells } from '../tools/shell/background-shell';
import type { Attempt } from './attempt';
import type { ActivityDeps } from './deps';

/** Ends all background shells of a session that was told to stop. Safe to repeat. Returns how many ran. */
export async function endSessionShells(
  { sessions }: Pick<ActivityDeps, 'sessions'>,
  { workflowId }: Pick<Attempt, 'workflowId'>,
): Promise<number> {
  const { store } = await sessions.serve(workflowId);
  return endShells(store.folderPath('shells'));
}
