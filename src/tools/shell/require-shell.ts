import { ToolError } from '../tool';
import type { ToolContext } from '../tool';
import { findShell, listShells, stateOf } from './background-shell';
import type { BackgroundShell } from './background-shell';

/** Fails: ToolError that names the shells there are. */
export async function requireShell(
  id: string,
  { shellsFolder }: ToolContext,
): Promise<BackgroundShell> {
  const found = shellsFolder === null ? undefined : await findShell(shellsFolder, id);
  if (found !== undefined) return found;
  const shells = shellsFolder === null ? [] : await listShells(shellsFolder);
  const states = await Promise.all(
    shells.map(async (shell) => `${shell.id} (${(await stateOf(shell)).status})`),
  );
  throw new ToolError(
    states.length === 0
      ? `There is no background shell ${id}, and no other. Start one by Bash with run_in_background.`
      : `There is no background shell ${id}. There are: ${states.join(', ')}.`,
  );
}
