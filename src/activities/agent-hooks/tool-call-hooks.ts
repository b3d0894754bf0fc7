import type { AfterToolCallResult, AgentToolCall } from '../../agent/agent-hooks';
import type { HookFacts } from '../../transcript/store';
import type { Tool } from '../../tools/tool';
import type { ToolRun } from '../run-tool/run-tool';
import { failed, type Ran } from '../run-tool/tool-run';
import { hear, textOf } from './ask-hook';

/** What the agent's own hook makes of a call: the call as it goes on, or why it does not. */
export type Prepared =
  { readonly run: ToolRun; readonly facts: Pick<HookFacts, 'args'> } | { readonly ran: Ran };

/** `beforeToolCall`. What it changes is noted beside the intent, and runs as it is. */
export async function prepareByAgent(run: ToolRun, tool: Tool): Promise<Prepared> {
  const { hooks } = run.agent;
  if (hooks.beforeToolCall === undefined) return { run, facts: {} };
  // Made anew: records are not for hooks to change.
  const args = tool.inputSchema.parse(structuredClone(run.call.input));
  const before = JSON.stringify(args);
  try {
    const verdict = await hear(run, (at) => hooks.beforeToolCall?.(toAgentCall(run, args), at));
    if (verdict?.block === true) {
      const reason = verdict.reason ?? 'This call was not allowed.';
      return { ran: { ...failed(reason), denied: true, ...terminating(verdict.terminate) } };
    }
    // What the tool itself cannot judge would fail behind all checks, again and again.
    tool.isReadOnly(args);
  } catch (error) {
    if (isStopped(run)) throw error;
    return { ran: failed(textOf(error)) };
  }
  if (JSON.stringify(args) === before) return { run, facts: {} };
  return { run: { ...run, call: { ...run.call, input: args } }, facts: { args } };
}

/** `afterToolCall`: replaces field by field; a throw is an error result. */
export async function reviseByAgent(run: ToolRun, args: unknown, ran: Ran): Promise<Ran> {
  const { hooks } = run.agent;
  if (hooks.afterToolCall === undefined) return ran;
  const { content, structured, isError } = ran;
  const result = { content, structured, ...terminating(ran.terminate) };
  try {
    const patch = await hear(run, (at) =>
      hooks.afterToolCall?.({ ...toAgentCall(run, args), result, isError }, at),
    );
    return patch === undefined ? ran : patched(ran, patch);
  } catch (error) {
    if (isStopped(run)) throw error;
    return patched(ran, { ...failed(textOf(error)), terminate: false });
  }
}

/** What the result leaves behind besides its text (files seen, folder) stays. */
function patched({ terminate, ...ran }: Ran, patch: AfterToolCallResult): Ran {
  return {
    ...ran,
    content: patch.content ?? ran.content,
    structured: patch.structured ?? ran.structured,
    isError: patch.isError ?? ran.isError,
    ...terminating(patch.terminate ?? terminate),
  };
}

const toAgentCall = ({ call, input }: ToolRun, args: unknown): AgentToolCall => ({
  id: input.call.id,
  name: call.name,
  input: call.input,
  args,
});

const terminating = (terminate: boolean | undefined): { readonly terminate?: true } =>
  terminate === true ? { terminate } : {};

const isStopped = ({ attempt }: ToolRun): boolean =>
  attempt.stop.aborted || attempt.over.aborted || attempt.forgotten.aborted;
