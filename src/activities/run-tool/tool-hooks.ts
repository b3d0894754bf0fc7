import { toReminder } from '../../context/reminder';
import type { HookVerdict } from '../../hooks/merge-answers';
import type { HookFacts } from '../../transcript/store';
import type { Tool } from '../../tools/tool';
import { runSessionHooks, type HookSituation } from '../run-session-hooks';
import type { ToolRun } from './run-tool';
import { failed, type Ran } from './tool-run';

/** What PreToolUse hooks decided. `facts` goes with the intent: a later attempt does not ask them again. */
export interface BeforeTool {
  readonly denial: string | null;
  readonly permission: { readonly behavior: 'allow' | 'ask'; readonly text: string } | null;
  readonly facts: HookFacts;
}

const NO_FACTS: HookFacts = { notes: [] };

/** spec/loop 5.5: deny > ask > allow; what runs may be changed, what the history shows may not. */
export async function askBeforeTool(run: ToolRun, tool: Tool): Promise<BeforeTool> {
  const verdict = await runSessionHooks(run, 'PreToolUse', situationOf(run), () => ({
    tool_name: tool.name,
    tool_input: run.call.input,
    tool_use_id: run.input.call.id,
  }));
  if (verdict === null) return { denial: null, permission: null, facts: NO_FACTS };
  const { permission, updatedInput, stop } = verdict;
  const isDenied = permission?.behavior === 'deny';
  return {
    denial: isDenied ? permission.reason : null,
    permission:
      permission === null || permission.behavior === 'deny'
        ? null
        : { behavior: permission.behavior, text: permission.reason },
    facts: {
      notes: verdict.contexts,
      ...(updatedInput !== null && { updatedInput }),
      ...(stop !== null && { stops: true }),
    },
  };
}

/** What PostToolUse or PostToolUseFailure hooks add (spec/loop 5.11). The tool has run, whatever they say. */
export async function askAfterTool(
  run: ToolRun,
  tool: Tool,
  input: unknown,
  { ran, durationMs }: { readonly ran: Ran; readonly durationMs: number },
): Promise<{ readonly ran: Ran; readonly facts: HookFacts }> {
  const call = {
    tool_name: tool.name,
    tool_input: input,
    tool_use_id: run.input.call.id,
    duration_ms: durationMs,
  };
  const situation = situationOf(run);
  const verdict = ran.isError
    ? await runSessionHooks(run, 'PostToolUseFailure', situation, () => ({
        ...call,
        error: typeof ran.content === 'string' ? ran.content : JSON.stringify(ran.content),
        is_interrupt: false,
      }))
    : await runSessionHooks(run, 'PostToolUse', situation, () => ({
        ...call,
        tool_response: ran.structured ?? ran.content,
      }));
  if (verdict === null) return { ran, facts: NO_FACTS };
  const { updatedOutput, stop } = verdict;
  return {
    ran: updatedOutput === null ? ran : { ...ran, content: asText(updatedOutput.value) },
    facts: { notes: notesOf(verdict), ...(stop !== null && { stops: true }) },
  };
}

/** Chained behind the result; the model reads them as ours. */
export const noteText = (note: string): string => toReminder(note);

export const deniedByHook = (reason: string): Ran => ({ ...failed(reason), denied: true });

const notesOf = ({ blocking, contexts }: HookVerdict): readonly string[] => [
  ...blocking.map(({ reason }) => `A hook objects to this result:\n${reason}`),
  ...contexts,
];

const situationOf = ({ input }: ToolRun): HookSituation => ({
  mode: input.mode,
  workingDirectory: input.workingDirectory,
});

const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
