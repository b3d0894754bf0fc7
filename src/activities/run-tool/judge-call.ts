import type { ContentBlockParam, ToolUseBlock } from '@anthropic-ai/sdk/resources/messages';
import {
  afterDenial,
  afterPermission,
  FRESH_TALLY,
  isPaused,
  type AutoModeTally,
} from '../../permissions/auto-mode';
import {
  CLASSIFIER_SYSTEM,
  CLASSIFIER_TOKENS,
  classifierQuestion,
  readJudgement,
  type CallJudgement,
  type CallToJudge,
} from '../../permissions/classifier';
import type { DecisionReason, Question } from '../../permissions/decision';
import type { Tool } from '../../tools/tool';
import type { TranscriptRecord } from '../../transcript/record';
import { askHook } from '../agent-hooks/ask-hook';
import type { ServedSession } from '../served-sessions';
import { askSmallModel } from '../small-model';
import type { ToolRun } from './run-tool';

/** Document of the session. */
const TALLY = 'auto-mode';
/** Questions that a rule, a hook or the tool itself puts to a person. */
const FOR_PEOPLE: readonly DecisionReason['type'][] = ['rule', 'hook', 'user_interaction'];

/** How a question is answered in mode `auto` without a person; null: it is not. `isLast`: from here on people
 *  decide. */
export async function judgeCall(
  run: ToolRun,
  tool: Tool,
  { input, decision }: { readonly input: unknown; readonly decision: Question },
): Promise<{ readonly judgement: CallJudgement; readonly isLast: boolean } | null> {
  const { session } = run;
  if (run.input.mode !== 'auto' || FOR_PEOPLE.includes(decision.reason.type)) return null;
  if (isPaused(await tallyOf(session))) return null;
  const judgement = await judge(run, await describe(run, tool, { input, decision }));
  if (judgement.behavior === 'ask') return null;
  const isDenied = judgement.behavior === 'deny';
  const tally = await count(session, isDenied ? afterDenial : afterPermission);
  return { judgement, isLast: isPaused(tally) };
}

/** A person said yes. */
export async function resumeAutoMode({ input, session }: ToolRun): Promise<void> {
  if (input.mode === 'auto') await count(session, afterPermission);
}

/** The program's own judge, else a small model. Whatever goes wrong with that leaves the decision to people. */
async function judge(run: ToolRun, call: CallToJudge): Promise<CallJudgement> {
  const { hooks } = run.agent;
  const own = await askHook(run, 'judgeToolCall', (at) => hooks.judgeToolCall?.(call, at));
  if (own !== undefined) return own;
  const text = classifierQuestion(call);
  if (text === null) return { behavior: 'ask' };
  const { stop, over, forgotten } = run.attempt;
  const signal = AbortSignal.any([stop, over, forgotten]);
  try {
    const question = { system: CLASSIFIER_SYSTEM, text, maxTokens: CLASSIFIER_TOKENS };
    return readJudgement(await askSmallModel(run, question, signal));
  } catch (error) {
    if (signal.aborted) throw error;
    return { behavior: 'ask' };
  }
}

async function describe(
  run: ToolRun,
  tool: Tool,
  call: { readonly input: unknown; readonly decision: Question },
): Promise<CallToJudge> {
  const { session, input, options } = run;
  const context = await contextOf(session, input.call.recordId);
  const written = context.flatMap(textsOf);
  const isHelper = options.subAgent !== undefined;
  const prompt = await promptOf(run);
  const missing = prompt.filter((text) => isHelper || !written.includes(text));
  return {
    toolName: tool.name,
    input: call.input,
    question: call.decision.message,
    workingDirectory: input.workingDirectory,
    saidByPeople: isHelper ? missing : [...written, ...missing],
    task: isHelper ? written.join('\n') : null,
    callsBefore: context
      .flatMap(callsIn)
      .filter(({ id }) => id !== input.call.id)
      .map(({ name, input: made }) => ({ name, input: made })),
  };
}

/** Of the message that a person sent, which a compaction may have taken out of the context. */
async function promptOf({ session, options, promptId }: ToolRun): Promise<readonly string[]> {
  const message = await session.store.findMessage(options.subAgent?.askedFor ?? promptId);
  return message === undefined ? [] : blockTexts(message.content);
}

/** What stands before the call. Its own record is not in the transcript while the reply still streams. */
async function contextOf(
  { store, uncommitted }: ServedSession,
  recordId: string,
): Promise<readonly TranscriptRecord[]> {
  let leaf: string | null = recordId;
  const pending: TranscriptRecord[] = [];
  for (
    let record = uncommitted.get(leaf);
    record !== undefined;
    record = leaf === null ? undefined : uncommitted.get(leaf)
  ) {
    pending.unshift(record);
    leaf = record.parentUuid;
  }
  return [...(leaf === null ? [] : await store.chain(leaf)), ...pending];
}

/** Prompts as they were written. Results of tools, summaries and what the engine says are none. */
function textsOf(record: TranscriptRecord): readonly string[] {
  if (record.type === 'attachment') {
    const { type, content } = record.attachment;
    return type === 'queued_message' ? blockTexts(content) : [];
  }
  if (record.type !== 'user' || record.isMeta === true || record.isCompactSummary === true) {
    return [];
  }
  return blockTexts(record.message.content);
}

const blockTexts = (content: string | readonly ContentBlockParam[]): readonly string[] =>
  typeof content === 'string'
    ? [content]
    : content.flatMap((block) => (block.type === 'text' ? [block.text] : []));

const callsIn = (record: TranscriptRecord): readonly ToolUseBlock[] =>
  record.type === 'assistant'
    ? record.message.content.filter((block) => block.type === 'tool_use')
    : [];

async function tallyOf(session: ServedSession): Promise<AutoModeTally> {
  const stored = session.autoMode ?? (await session.store.readDocument(TALLY));
  // Another call may have counted meanwhile.
  return (session.autoMode ??= (stored as AutoModeTally | undefined) ?? FRESH_TALLY);
}

async function count(
  session: ServedSession,
  change: (tally: AutoModeTally) => AutoModeTally,
): Promise<AutoModeTally> {
  const before = await tallyOf(session);
  const after = change(before);
  session.autoMode = after;
  const changed = JSON.stringify(after) !== JSON.stringify(before);
  if (changed) await session.store.writeDocument(session.lease, TALLY, after);
  return after;
}
