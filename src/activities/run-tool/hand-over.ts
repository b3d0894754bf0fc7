import { AGENT } from '../../tools/agent';
import { SLEEP, SleepInput, sleptResult } from '../../tools/sleep';
import type { Tool } from '../../tools/tool';
import type { DelegateOutcome, SleepOutcome } from '../interface';
import { beginSubAgent, promptIdOf } from '../sub-agent/begin-sub-agent';
import { resultOf } from '../sub-agent/sub-agent-report';
import type { ToolRun } from './run-tool';
import type { Ran } from './tool-run';

/** What the Workflow has to do for a call before it can have a result; null: nothing, or it is done. */
export async function handOver(
  run: ToolRun,
  tool: Tool,
  input: unknown,
): Promise<DelegateOutcome | SleepOutcome | null> {
  const { isDelegated, slept } = run.input;
  if (tool.name === AGENT && isDelegated !== true) return beginSubAgent(run, input);
  if (tool.name === SLEEP && slept === undefined) {
    return { type: 'sleep', ms: SleepInput.parse(input).duration_ms };
  }
  return null;
}

/** The result of a call that the Workflow carried out; null: the tool does it itself. */
export async function resultFromWorkflow(run: ToolRun, tool: Tool): Promise<Ran | null> {
  const { call, slept } = run.input;
  if (tool.name === AGENT) return resultOf(run.session.store, promptIdOf(call));
  if (tool.name !== SLEEP || slept === undefined) return null;
  const { content, structured } = sleptResult(slept);
  return { content, structured, isError: false };
}
