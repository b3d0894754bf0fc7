import { decidePermission, type PermissionCall } from '../../permissions/decide-permission';
import type { PermissionDecision } from '../../permissions/decision';
import { fileTarget, isInside, resolveLinks } from '../../permissions/file-target';
import { confinementFor } from '../../tools/bash';
import { isReadOnlyCommand } from '../../tools/shell/read-only-command';
import type { Tool, ToolContext } from '../../tools/tool';
import { rulesFor } from './permission-rules';
import type { ToolRun } from './run-tool';

/** Whether a call may run, by the rules of the settings, the message, and what was granted in the session. */
export async function permissionFor(
  run: ToolRun,
  tool: Tool,
  input: unknown,
  {
    context,
    hook,
  }: {
    readonly context: ToolContext;
    /** What PreToolUse hooks say; null: nothing. */
    readonly hook: { readonly behavior: 'allow' | 'ask'; readonly text: string } | null;
  },
): Promise<PermissionDecision> {
  const { workingDirectory, roots } = context;
  const named = fileTarget(tool.name, input, workingDirectory)?.paths ?? [];
  const sandbox = sandboxFor(tool, input, context);
  return decidePermission({
    tool,
    input,
    mode: run.input.mode,
    rules: await rulesFor(run),
    workingDirectory,
    workingDirectories: roots,
    readOnly: tool.isReadOnly(input),
    isReadOnlyCommand,
    realPaths: await resolveLinks(named),
    ...(hook !== null && { hook }),
    ...(sandbox !== null && { sandbox }),
  });
}

/** What the sandbox says to a call; null: nothing. */
function sandboxFor(
  tool: Tool,
  input: unknown,
  context: ToolContext,
): NonNullable<PermissionCall['sandbox']> | null {
  if (tool.name !== 'Bash') return null;
  const confinement = confinementFor(input, context);
  if (confinement.type === 'confined') {
    return confinement.sandbox.settings.autoAllow ? 'permits' : null;
  }
  return confinement.type === 'free' && confinement.isAsked ? 'left' : null;
}

/** A call that is past all checks may go where it was allowed to go, folders of the session or not. In bypass mode
 *  nobody said so, unless somebody was asked: there it stays inside. */
export async function openedFor(
  { input: { mode, isAnswered } }: ToolRun,
  tool: Tool,
  input: unknown,
  context: ToolContext,
): Promise<ToolContext> {
  if (mode === 'bypassPermissions' && isAnswered !== true) return context;
  const named = fileTarget(tool.name, input, context.workingDirectory)?.paths ?? [];
  const { roots } = context;
  const outside = (await resolveLinks(named)).filter((file) => !isInside(file, roots));
  return outside.length === 0 ? context : { ...context, roots: [...roots, ...outside] };
}
