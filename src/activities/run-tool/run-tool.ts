import { hostname } from 'node:os';
import { keepChange } from '../../checkpoints/keep-change';
import { lookAtFiles } from '../../checkpoints/look-at-files';
import { failpoint } from '../../failpoint/failpoint';
import type { ToolOutcome } from '../../loop/outcomes';
import type { CallResult, HookFacts, Intent } from '../../transcript/store';
import { currentBoot } from '../../tools/shell/process-identity';
import type { Tool, ToolContext } from '../../tools/tool';
import type { Attempt } from '../attempt';
import type { ActivityDeps } from '../deps';
import { LOST } from '../injected-texts';
import { requireAgent } from '../agent-hooks/query-agent';
import { prepareByAgent, reviseByAgent } from '../agent-hooks/tool-call-hooks';
import type { AskOutcome, DelegateOutcome, RunToolInput, SleepOutcome } from '../interface';
import { openQueryCall, type QueryCall } from '../query-call';
import { addQueryGrant } from '../query-grants';
import type { ServedSession } from '../served-sessions';
import { availableTools, findOffered, summaryOf } from '../tool-catalog';
import { filesSeenBy } from './files-seen';
import { findCall, type FoundCall } from './find-call';
import { textOfInputError } from './input-error';
import { recordRun, tellResult } from './record-run';
import { afterAnswer, ask, denied } from './ask-permission';
import { askOutcome } from './asked-facts';
import { openedFor, permissionFor } from './check-permission';
import { takeEarlyCheck } from './early-check';
import { handOver, resultFromWorkflow } from './hand-over';
import { reconsider } from './reconsider';
import { toolContext } from './tool-context';
import { askAfterTool, askBeforeTool, deniedByHook } from './tool-hooks';
import { refused, failed, runToItsEnd, unknownOutcome, type Ran } from './tool-run';

/** Everything of one call that does not change while it runs. */
export interface ToolRun extends QueryCall {
  readonly input: RunToolInput;
  readonly call: FoundCall;
}

/** One tool call, from lookup to recorded result. The ledger knows what earlier attempts did: a result is
 *  adopted, a call that was under way is continued, repeated or reported as unknown, as its tool says. */
export async function runTool(
  deps: ActivityDeps,
  attempt: Attempt,
  input: RunToolInput,
): Promise<ToolOutcome | AskOutcome | DelegateOutcome | SleepOutcome> {
  const session = await deps.sessions.serve(attempt.workflowId);
  const entry = await session.store.ledger.find(input.call);
  if (entry?.result !== undefined) {
    // Its attempt may have died before it told observers. They know what they have heard already.
    await tellResult(session, attempt, entry.result);
    return outcomeOf(entry.result);
  }
  const call = await findCall(session, input.call);
  if (call === undefined) {
    return { type: 'failed', message: 'The reply that made this call was never committed.' };
  }
  const run = await answered({ ...(await openQueryCall(deps, attempt)), input, call });
  requireAgent(run);
  try {
    const finished = await checkAndRun(run, entry?.intent ?? null);
    if (finished === 'ask') return await askOutcome(run);
    if ('type' in finished) return finished;
    return outcomeOf(await recordRun(run, finished.ran, finished.facts));
  } catch (error) {
    if (!attempt.stop.aborted) throw error;
    await recordRun(run, failed(LOST.user_interrupted), NO_FACTS);
    return { type: 'interrupted' };
  }
}

/** Who was asked while the reply streamed may have answered before the call had its turn. */
async function answered(run: ToolRun): Promise<ToolRun> {
  const { input, options, session } = run;
  if (options.asks === undefined || input.isAnswered === true) return run;
  const answer = await session.store.findAnswer(input.call);
  return answer === undefined ? run : { ...run, input: { ...input, isAnswered: true } };
}

export interface Finished {
  readonly ran: Ran;
  readonly facts: HookFacts;
}

const NO_FACTS: HookFacts = { notes: [] };
const without = (ran: Ran): Finished => ({ ran, facts: NO_FACTS });

async function checkAndRun(
  run: ToolRun,
  begun: Intent | null,
): Promise<Finished | 'ask' | DelegateOutcome | SleepOutcome> {
  const { deps, call, options, agent } = run;
  const tool = findOffered(availableTools(agent.tools, options), call.name);
  if (tool === undefined) return without(refused(`Error: No such tool available: ${call.name}`));
  const parsed = tool.inputSchema.safeParse(call.input);
  if (!parsed.success)
    return without(refused(textOfInputError(tool.name, parsed.error, call.input)));
  // An intent means that an earlier attempt was past all checks: what counts now is what came of it.
  const context = await contextFor(run, begun === null ? 1 : Math.max(run.attempt.number, 2));
  const checked =
    begun === null
      ? await checkCall(run, tool, parsed.data, context)
      : { input: changedInput(tool, parsed.data, begun.hooks), facts: begun.hooks ?? NO_FACTS };
  if (checked === 'ask' || 'ran' in checked) return checked;
  const { input, facts } = checked;
  if (begun === null) {
    run.attempt.stop.throwIfAborted();
    await recordIntent(run, tool, input, facts);
    failpoint('tool.intent');
  } else if (!canGoOn(tool, begun, run.session)) return { ran: unknownOutcome(''), facts };
  const handedOver = await handOver(run, tool, input);
  if (handedOver !== null) return handedOver;
  const startedAtMs = deps.now().getTime();
  const ran =
    (await resultFromWorkflow(run, tool)) ??
    (await runToItsEnd(tool, input, await openedFor(run, tool, input, context)));
  const durationMs = deps.now().getTime() - startedAtMs;
  if (mayHaveChanged(tool, input, ran)) await lookAtFiles(run.session, run.input.call.recordId);
  const { allows = [] } = ran.result ?? {};
  if (allows.length > 0) await addQueryGrant(run, { allow: allows, model: null });
  const revised = await reviseByAgent(run, input, ran);
  const after = await askAfterTool(run, tool, input, { ran: revised, durationMs });
  const notes = [...facts.notes, ...after.facts.notes];
  const stops = facts.stops === true || after.facts.stops === true;
  return { ran: after.ran, facts: { notes, ...(stops && { stops }) } };
}

/** Files that nobody has announced: a file tool that went well has. */
const mayHaveChanged = (tool: Tool, input: unknown, { isError, result }: Ran): boolean =>
  !tool.isReadOnly(input) && (isError || result?.filesSeen === undefined);

/** The tool's own check, the hooks, and the permission: with the input that will run, or why none will. */
async function checkCall(
  run: ToolRun,
  tool: Tool,
  parsed: unknown,
  context: ToolContext,
): Promise<Checked> {
  const invalid = await tool.validateInput(parsed, context);
  if (invalid !== null) return without(refused(invalid));
  const { isAnswered, granted } = run.input;
  if (isAnswered === true) return afterAnswer(run, tool, parsed);
  if (granted !== undefined) return reconsider(run, tool, parsed, { context, granted });
  const prepared = await prepareByAgent(run, tool);
  if ('ran' in prepared) return without(prepared.ran);
  const early = await takeEarlyCheck(run);
  const before = early?.before ?? (await askBeforeTool(prepared.run, tool));
  const { denial, permission, facts: heard } = before;
  const facts = { ...heard, ...prepared.facts };
  if (denial !== null) return { ran: deniedByHook(denial), facts };
  const input = changedInput(tool, parsed, facts);
  const decision = await permissionFor(run, tool, input, { context, hook: permission });
  switch (decision.behavior) {
    case 'allow':
      return { input, facts };
    case 'deny':
      return { ran: denied(decision.message), facts };
    case 'ask':
      return early?.asked ?? ask(run, tool, { input, facts, decision });
  }
}

/** What will run, why nothing will, or that somebody has to be asked. */
export type Checked = Finished | { readonly input: unknown; readonly facts: HookFacts } | 'ask';

/** A hook that writes input which the tool cannot read has changed nothing. */
export function changedInput(tool: Tool, parsed: unknown, facts: HookFacts | undefined): unknown {
  const given = facts?.args ?? parsed;
  if (facts?.updatedInput === undefined) return given;
  const changed = tool.inputSchema.safeParse(facts.updatedInput);
  return changed.success ? changed.data : given;
}

const saysSomething = ({ notes, updatedInput, args, stops }: HookFacts): boolean =>
  notes.length > 0 || updatedInput !== undefined || args !== undefined || stops === true;

/** Whether an attempt can find out what became of the one before it, or repeat it. No process outlives its machine,
 *  and what a power cut has left of its traces may say that it never was; so may a folder that it never wrote to. */
function canGoOn({ effect }: Tool, { boot, traces }: Intent, session: ServedSession): boolean {
  if (effect !== 'reattach') return effect === 'rerun';
  const isSameBoot = boot === undefined || boot === currentBoot();
  return isSameBoot && (traces === undefined || traces === tracesOf(session));
}

/** Workers of several hosts, or with homes of their own, share a store and not these files. */
const tracesOf = ({ store }: ServedSession): string => `${hostname()}:${store.folderPath('calls')}`;

/** On disk before anything happens. */
async function recordIntent(
  { deps, attempt, session, input, call }: ToolRun,
  tool: Tool,
  parsed: unknown,
  hooks: HookFacts,
): Promise<void> {
  const { store, lease } = session;
  const at = deps.now().toISOString();
  const isDurable = tool.effect !== 'rerun';
  await store.ledger.recordIntent(lease, input.call, {
    tool: tool.name,
    attempt: attempt.number,
    at,
    durable: isDurable,
    ...(tool.effect === 'reattach' && { boot: currentBoot(), traces: tracesOf(session) }),
    ...(saysSomething(hooks) && { hooks }),
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

export async function contextFor(run: ToolRun, attempt: number): Promise<ToolContext> {
  const { session, input } = run;
  const filesSeen = await filesSeenBy(session, input.call);
  const { workingDirectory, call } = input;
  const context = await toolContext(run, {
    workingDirectory,
    filesSeen,
    attempt,
    callName: call.recordId,
  });
  return {
    ...context,
    beforeChange: (change) => keepChange(session, call, change),
  };
}

function outcomeOf({
  isError,
  denied,
  workingDirectory,
  interrupts,
  hookStopped,
  terminate,
  structuredOutput,
}: CallResult): ToolOutcome {
  return {
    type: 'done',
    isError,
    ...(interrupts !== undefined && { interrupts }),
    ...(hookStopped !== undefined && { hookStopped }),
    ...(terminate !== undefined && { terminate }),
    ...(structuredOutput !== undefined && { structuredOutput }),
    ...(denied !== undefined && { denied }),
    ...(workingDirectory !== undefined && { workingDirectory }),
  };
}
