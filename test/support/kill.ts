import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';

/** SIGKILL; resolves when it is gone, at once where it has left by itself: its `exit` does not come again. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
