import type { StreamId } from '../../transcript/stream-id';
import type { Tool } from '../../tools/tool';
import { findOffered } from '../tool-catalog';
import { ask } from './ask-permission';
import { permissionFor } from './check-permission';
import { changedInput, contextFor, type Checked, type ToolRun } from './run-tool';
import { askBeforeTool, type BeforeTool } from './tool-hooks';

/** What was learnt about a call while its reply still streamed (spec/loop 24b). */
export interface EarlyCheck {
  readonly before: BeforeTool;
  /** How the permission question was answered, or that it waits; null: none was needed then. */
  readonly asked: Checked | null;
}

/** Where the reply of the call is. */
export interface EarlyPlace {
  readonly stream: StreamId;
  /** Settles when the call before it in the reply was checked: questions come in the order of their calls. */
  readonly before: Promise<unknown>;
}

/** Checks a call that has to wait for its turn as soon as its block is there: PreToolUse hooks, and the permission
 *  question. What other calls change until then is looked at again when it has its turn. */
export function checkEarly(run: ToolRun, tools: readonly Tool[], place: EarlyPlace): void {
  // They hear of what will run: the agent's own hook may change it first.
  if (run.agent.hooks.beforeToolCall !== undefined) return;
  const tool = findOffered(tools, run.call.name);
  const parsed = tool?.inputSchema.safeParse(run.call.input);
  if (tool === undefined || parsed?.success !== true) return;
  const checking = check(run, tool, parsed.data, place);
  // Whoever takes it sees the failure.
  checking.catch(() => undefined);
  run.session.checked.set(run.input.call.recordId, checking);
}

/** What was learnt early; undefined: nothing. It stays known until then, for a question that is taken back is not. */
export async function takeEarlyCheck({ session, input }: ToolRun): Promise<EarlyCheck | undefined> {
  const { recordId } = input.call;
  try {
    return await session.checked.get(recordId);
  } finally {
    session.checked.delete(recordId);
  }
}

async function check(
  run: ToolRun,
  tool: Tool,
  parsed: unknown,
  place: EarlyPlace,
): Promise<EarlyCheck> {
  const before = await askBeforeTool(run, tool);
  const { denial, permission: hook, facts } = before;
  if (denial !== null || run.options.asks === undefined) return { before, asked: null };
  await place.before.catch(() => undefined);
  const context = await contextFor(run, 1);
  // Calls before this one may make it valid yet: the refusal is for its turn.
  if ((await tool.validateInput(parsed, context)) !== null) return { before, asked: null };
  const input = changedInput(tool, parsed, facts);
  const decision = await permissionFor(run, tool, input, { context, hook });
  if (decision.behavior !== 'ask') return { before, asked: null };
  return { before, asked: await ask(run, tool, { input, facts, decision, stream: place.stream }) };
}
