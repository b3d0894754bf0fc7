import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolOutcome } from '../../loop/deps';
import { fromQueryWorkflowId } from '../../loop/workflow-id';
import type { RunOptions } from '../../transcript/message';
import type { CallResult } from '../../transcript/store';
import type { Tool, ToolContext } from '../../tools/tool';
import type { Attempt } from '../attempt';
import type { ActivityDeps } from '../deps';
import { LOST } from '../injected-texts';
import type { RunToolInput } from '../interface';
import type { ServedSession } from '../served-sessions';
import { findOffered, offeredTools, summaryOf } from '../tool-catalog';
import { filesSeenBy } from './files-seen';
import { findCall, type FoundCall } from './find-call';
import { textOfInputError } from './input-error';
import { recordRun, tellResult } from './record-run';
import { refusalOf } from './check-permission';
import { refused, failed, runToItsEnd, unknownOutcome, type Ran } from './tool-run';

/** Everything of one call that does not change while it runs. */
export interface ToolRun {
  readonly deps: ActivityDeps;
  readonly attempt: Attempt;
  readonly input: RunToolInput;
  readonly session: ServedSession;
  readonly call: FoundCall;
  readonly options: RunOptions;
}

/** One tool call, from lookup to recorded result. The ledger knows what earlier attempts did: a result is
 *  adopted, a call that was under way is continued, repeated or reported as unknown, as its tool says. */
export async function runTool(
  deps: ActivityDeps,
  attempt: Attempt,
  input: RunToolInput,
): Promise<ToolOutcome> {
  const session = await deps.sessions.serve(attempt.workflowId);
  const { store } = session;
  const entry = await store.ledger.find(input.call);
  if (entry?.result !== undefined) {
    // Its attempt may have died before it told observers. They know what they have heard already.
    await tellResult(session, attempt, entry.result);
    return outcomeOf(entry.result);
  }
  const call = await findCall(session, input.call);
  if (call === undefined) {
    return { type: 'failed', message: 'The reply that made this call was never committed.' };
  }
  const { promptId } = fromQueryWorkflowId(attempt.workflowId);
  const message = await store.findMessage(promptId);
  if (message === undefined)
    return { type: 'failed', message: `Message ${promptId} is not in the store.` };

  const run: ToolRun = { deps, attempt, input, session, call, options: message.options };
  try {
    const ran = await checkAndRun(run, entry?.intent?.attempt ?? null);
    return outcomeOf(await recordRun(run, ran));
  } catch (error) {
    if (!attempt.stop.aborted) throw error;
    await recordRun(run, failed(LOST.user_interrupted));
    return { type: 'interrupted' };
  }
}

async function checkAndRun(run: ToolRun, startedBy: number | null): Promise<Ran> {
  const { deps, call, options } = run;
  const tool = findOffered(offeredTools(deps.tools, options), call.name);
  if (tool === undefined) return refused(`Error: No such tool available: ${call.name}`);
  const parsed = tool.inputSchema.safeParse(call.input);
  if (!parsed.success) return refused(textOfInputError(tool.name, parsed.error, call.input));
  // An intent means that an earlier attempt was past all checks: what counts now is what came of it.
  const context = await contextFor(run, startedBy === null ? 1 : Math.max(run.attempt.number, 2));
  if (startedBy === null) {
    const objection = await checkCall(run, tool, parsed.data, context);
    if (objection !== null) return objection;
    run.attempt.stop.throwIfAborted();
    await recordIntent(run, tool, parsed.data);
  } else if (tool.effect === 'unknown') return unknownOutcome('');
  return runToItsEnd(tool, parsed.data, context);
}

async function checkCall(
  run: ToolRun,
  tool: Tool,
  input: unknown,
  context: ToolContext,
): Promise<Ran | null> {
  const invalid = await tool.validateInput(input, context);
  if (invalid !== null) return refused(invalid);
  const { deps, session, options } = run;
  const refusal = await refusalOf({
    tool,
    input,
    mode: run.input.mode,
    place: { cwd: session.store.meta.cwd, options },
    workingDirectory: context.workingDirectory,
    roots: context.roots,
    surroundings: deps.surroundings,
  });
  return refusal === null ? null : { ...failed(refusal), denied: true };
}

/** On disk before anything happens. */
async function recordIntent(
  { deps, attempt, session, input, call }: ToolRun,
  tool: Tool,
  parsed: unknown,
): Promise<void> {
  const { store, lease } = session;
  const at = deps.now().toISOString();
  const isDurable = tool.effect !== 'rerun';
  await store.ledger.recordIntent(lease, input.call, {
    tool: tool.name,
    attempt: attempt.number,
    at,
    durable: isDurable,
  });
  await store.log.append(lease, [
    {
      type: 'tool_started',
      queryId: attempt.workflowId,
      toolUseId: input.call.id,
      name: call.name,
      summary: summaryOf(tool, parsed),
    },
  ]);
}

async function contextFor(
  { session, input, attempt, options }: ToolRun,
  number: number,
): Promise<ToolContext> {
  const { store } = session;
  const callFolder = join(await store.folder('calls'), input.call.recordId);
  await mkdir(callFolder, { recursive: true, mode: 0o700 });
  return {
    workingDirectory: input.workingDirectory,
    roots: [store.meta.cwd, ...options.additionalDirectories],
    filesSeen: await filesSeenBy(session, input.call),
    callFolder,
    attempt: number,
    signal: AbortSignal.any([attempt.stop, attempt.forgotten]),
    workerGone: attempt.over,
    onProgress: () => undefined,
  };
}

function outcomeOf({ isError, denied, workingDirectory }: CallResult): ToolOutcome {
  return {
    type: 'done',
    isError,
    ...(denied !== undefined && { denied }),
    ...(workingDirectory !== undefined && { workingDirectory }),
  };
}
