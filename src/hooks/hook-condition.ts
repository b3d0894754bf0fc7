import { fileTarget } from '../permissions/file-target';
import { findRule } from '../permissions/match-rule';
import type { Hook } from './hook';
import type { HookInput } from './hook-event';

/** Whether the hook's `if` speaks of this call; for events that are no tool call there is nothing to compare,
 *  so a hook with a condition does not run. */
export function holdsFor(hook: Hook, input: HookInput): boolean {
  if (hook.type === 'callback' || hook.condition === null) return true;
  if (!('tool_name' in input)) return false;
  const { tool_name: name, tool_input, cwd } = input;
  const call = {
    tool: { name, aliases: [] },
    input: tool_input,
    paths: fileTarget(name, tool_input, cwd)?.paths ?? [],
  };
  return findRule([hook.condition], 'deny', call) !== undefined;
}
