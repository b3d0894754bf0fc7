import { z } from 'zod';
import { commandText, endShell, noteEndTold, stateOf } from './shell/background-shell';
import { endTree } from './shell/command-ending';
import { requireShell } from './shell/require-shell';
import { defineTool, ToolError } from './tool';
import type { ToolContext, ToolResult } from './tool';

const KillShellInput = z.strictObject({
  shell_id: z.string().min(1).describe('Id of the background shell'),
});
type KillShellInput = z.infer<typeof KillShellInput>;

export const killShellTool = defineTool<KillShellInput>({
  name: 'KillShell',
  aliases: ['KillBash'],
  description:
    'Ends a background shell with everything that it has started. Shells are started by Bash with run_in_background, which tells their ids.',
  inputSchema: KillShellInput,
  // What is ended already stays so.
  effect: 'rerun',
  summarize: ({ shell_id: id }) => id,
  call: kill,
});

async function kill({ shell_id: id }: KillShellInput, context: ToolContext): Promise<ToolResult> {
  const shell = await requireShell(id, context);
  const { status, verdict } = await stateOf(shell);
  const isOurs = status === 'running' || verdict === 'killed';
  // Also where the shell itself has ended: what it left behind goes.
  const isGone = isOurs ? await endShell(shell.command, 'killed') : await endTree(shell.command);
  if (!isGone) {
    throw new ToolError(
      `Not all processes of ${id} could be ended. Look for them with ps; they may belong to another user.`,
    );
  }
  await noteEndTold(shell);
  const message = isOurs
    ? `Background shell ${id} was ended with everything it had started: ${await commandText(shell)}`
    : `Background shell ${id} had ended already (${status}); nothing of it runs any more.`;
  return { content: message, structured: { message, shell_id: id } };
}
