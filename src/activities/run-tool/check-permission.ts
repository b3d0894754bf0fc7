import type { PermissionMode } from '../../loop/state';
import { decidePermission } from '../../permissions/decide-permission';
import { deniedForNobodyToAsk } from '../../permissions/decision';
import { fileTarget, resolveLinks } from '../../permissions/file-target';
import { isReadOnlyCommand } from '../../tools/shell/read-only-command';
import type { Tool } from '../../tools/tool';
import type { Place, Surroundings } from '../deps';

/** Whether a call may run; null: it may, else what the model is told. */
export async function refusalOf(of: {
  readonly tool: Tool;
  readonly input: unknown;
  readonly mode: PermissionMode;
  readonly place: Place;
  readonly workingDirectory: string;
  readonly roots: readonly string[];
  readonly surroundings: Surroundings;
  /** What PreToolUse hooks say; null: nothing. */
  readonly hook: { readonly behavior: 'allow' | 'ask'; readonly text: string } | null;
}): Promise<string | null> {
  const { tool, input, mode, place, workingDirectory, roots } = of;
  const named = fileTarget(tool.name, input, workingDirectory)?.paths ?? [];
  const decision = decidePermission({
    tool,
    input,
    mode,
    rules: await of.surroundings.permissionRules(place),
    workingDirectory,
    workingDirectories: roots,
    readOnly: tool.isReadOnly(input),
    isReadOnlyCommand,
    realPaths: await resolveLinks(named),
    ...(of.hook !== null && { hook: of.hook }),
  });
  switch (decision.behavior) {
    case 'allow':
      return null;
    case 'deny':
      return decision.message;
    case 'ask':
      return deniedForNobodyToAsk(decision).message;
  }
}
