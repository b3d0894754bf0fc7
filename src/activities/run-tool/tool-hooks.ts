import { toReminder } from '../../context/reminder';
import type { HookVerdict } from '../../hooks/merge-answers';
import type { HookFacts } from '../../transcript/store';
import type { Tool } from '../../tools/tool';
import { runSessionHooks, type HookSituation } from '../run-session-hooks';
import { findOffered } from '../tool-catalog';
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

/** Asks as soon as the block of a call is there: its reply still streams. Calls that start early ask themselves. */
export function askEarly(run: ToolRun, tools: readonly Tool[]): void {
  // They hear of what will run: the agent's own hook may change it first.
  if (run.agent.hooks.beforeToolCall !== undefined) return;
  const { asked } = run.session;
  const tool = findOffered(tools, run.call.name);
  if (tool === undefined || !tool.inputSchema.safeParse(run.call.input).success) return;
  const answer = askBeforeTool(run, tool);
  // Whoever takes it sees the failure.
  answer.catch(() => undefined);
  asked.set(run.input.call.recordId, answer);
}

/** The answer that was asked for early; else it is asked for now. */
export function takeAnswer(run: ToolRun, tool: Tool): Promise<BeforeTool> {
  const { asked } = run.session;
  const { recordId } = run.input.call;
  const early = asked.get(recordId);
  asked.delete(recordId);
  return early ?? askBeforeTool(run, tool);
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
