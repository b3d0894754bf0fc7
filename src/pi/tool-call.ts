import { checkedArguments } from './arguments';
import type { AfterToolCallResult } from './config';
import type { AssistantMessage, ToolCall, ToolResultMessage } from './message';
import { isAborted, type Run } from './run';
import type { AgentTool, AgentToolResult } from './tool';

/** One call on its way: prepared first, executed later, and told at its start and its end. */
export interface ToolCallRun {
  readonly tool: AgentTool | undefined;
  /** Find, fit, check, ask. A call that is refused here is over. */
  prepare(): Promise<void>;
  /** Asked again, it gives the same result. Never throws for what the tool or a hook does. */
  execute(): Promise<FinishedCall>;
}

export interface FinishedCall {
  readonly message: ToolResultMessage;
  readonly isError: boolean;
  readonly terminate: boolean;
}

interface Ran {
  readonly result: AgentToolResult<unknown>;
  readonly isError: boolean;
}

const NOT_FINISHED = 'The run was stopped before this call began.';
const CUT_OFF =
  'This call was not run: the reply reached the output limit, so its arguments may be incomplete. Call again with all of them.';

export function createToolCall(
  run: Run,
  assistantMessage: AssistantMessage,
  toolCall: ToolCall,
): ToolCallRun {
  const { context, config, signal, emit } = run;
  const { id: toolCallId, name: toolName, arguments: raw } = toolCall;
  const tool = context.tools?.find(({ name }) => name === toolName);
  let args: unknown;
  let refused: Ran | null = null;
  let finished: Promise<FinishedCall> | null = null;

  const check = async (): Promise<Ran | null> => {
    if (assistantMessage.stopReason === 'length') return failed(CUT_OFF);
    if (isAborted(run)) return failed(NOT_FINISHED);
    if (tool === undefined) return failed(`There is no tool named ${toolName}.`);
    args = checkedArguments(tool, tool.prepareArguments?.(raw) ?? raw);
    const verdict = await config.beforeToolCall?.(
      { assistantMessage, toolCall, args, context },
      signal,
    );
    if (isAborted(run)) return failed(NOT_FINISHED);
    if (verdict?.block !== true) return null;
    return failed(verdict.reason || 'This call was not allowed.', verdict.terminate);
  };

  const runTool = async (): Promise<Ran> => {
    if (tool === undefined || isAborted(run)) return failed(NOT_FINISHED);
    const told: Promise<void>[] = [];
    let isRunning = true;
    const onUpdate = (partialResult: AgentToolResult<unknown>): void => {
      if (!isRunning) return;
      const event = { toolCallId, toolName, args: raw, partialResult };
      told.push(Promise.resolve(emit({ type: 'tool_execution_update', ...event })));
    };
    const ran = await settled(async () => tool.execute(toolCallId, args, signal, onUpdate));
    isRunning = false;
    await Promise.all(told);
    return ran;
  };

  const revise = async (ran: Ran): Promise<Ran> => {
    try {
      const facts = { assistantMessage, toolCall, args, context, ...ran };
      return patched(ran, await config.afterToolCall?.(facts, signal));
    } catch (error) {
      return failed(textOf(error));
    }
  };

  const finish = async ({ result, isError }: Ran): Promise<FinishedCall> => {
    await emit({ type: 'tool_execution_end', toolCallId, toolName, result, isError });
    const { content, details } = result;
    const timestamp = Date.now();
    return {
      message: { role: 'toolResult', toolCallId, toolName, content, details, isError, timestamp },
      isError,
      terminate: result.terminate === true,
    };
  };

  return {
    tool,
    async prepare() {
      await emit({ type: 'tool_execution_start', toolCallId, toolName, args: raw });
      refused = await check().catch((error: unknown) => failed(textOf(error)));
      if (refused !== null) await (finished = finish(refused));
    },
    async execute() {
      return (finished ??= runTool().then(revise).then(finish));
    },
  };
}

async function settled(execute: () => Promise<AgentToolResult<unknown>>): Promise<Ran> {
  try {
    return { result: await execute(), isError: false };
  } catch (error) {
    return failed(textOf(error));
  }
}

/** Field by field; what the patch leaves out stays. */
function patched({ result, isError }: Ran, patch: AfterToolCallResult | undefined): Ran {
  if (patch === undefined) return { result, isError };
  const { content = result.content, terminate = result.terminate } = patch;
  const details: unknown = patch.details ?? result.details;
  return {
    result: { content, details, ...(terminate !== undefined && { terminate }) },
    isError: patch.isError ?? isError,
  };
}

function failed(text: string, terminate = false): Ran {
  const content = [{ type: 'text' as const, text }];
  return { result: { content, details: {}, ...(terminate && { terminate }) }, isError: true };
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
