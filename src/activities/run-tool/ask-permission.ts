import { deniedByAutoMode, deniedForNobodyToAsk, type Question } from '../../permissions/decision';
import type { HookFacts } from '../../transcript/store';
import { questionName, type PermissionQuestion } from '../../transcript/permission';
import type { LogEntry } from '../../transcript/session-log';
import type { StreamId } from '../../transcript/stream-id';
import type { Tool } from '../../tools/tool';
import { runSessionHooks } from '../run-session-hooks';
import { answerOf, recordDecision } from './decided-answer';
import { grant } from './grants';
import { judgeCall, resumeAutoMode } from './judge-call';
import { changedInput, type Checked, type ToolRun } from './run-tool';
import { findQuestion, type StoredQuestion } from './stored-question';
import { failed, type Ran } from './tool-run';

export const denied = (message: string, interrupts?: true): Ran => ({
  ...failed(message),
  denied: true,
  ...(interrupts && { interrupts }),
});

/** Nobody but a person can decide, or in mode `auto` a judge. Hooks may answer in a person's place; where nobody can
 *  be asked it is a no. */
export async function ask(
  run: ToolRun,
  tool: Tool,
  {
    input,
    facts,
    decision,
    stream,
  }: {
    readonly input: unknown;
    readonly facts: HookFacts;
    readonly decision: Question;
    /** Set while the reply of the call still streams: with it goes the question. */
    readonly stream?: StreamId;
  },
): Promise<Checked> {
  const { session, options, queryId } = run;
  const judged = await judgeCall(run, tool, { input, decision });
  if (judged?.judgement.behavior === 'allow') return { input, facts };
  if (judged?.judgement.behavior === 'deny') {
    const ends = judged.isLast && options.asks === undefined;
    return {
      ran: denied(deniedByAutoMode(tool.name, judged.judgement.reason), ends || undefined),
      facts,
    };
  }
  const byHook = await askHooks(run, tool, input, decision);
  if (byHook !== null) return { ...byHook, facts };
  if (options.asks === undefined) {
    return { ran: denied(deniedForNobodyToAsk(decision).message), facts };
  }
  const question: PermissionQuestion = {
    call: run.input.call,
    toolName: tool.name,
    input,
    reason: decision.message,
    reasonType: decision.reason.type,
    suggestedRules: decision.suggestedRules,
    blockedPath: decision.blockedPath,
  };
  const stored: StoredQuestion = { question, facts };
  const { store, lease } = session;
  await store.writeDocument(lease, questionName(run.input.call), stored);
  const isTakenBack = stream !== undefined && !session.checked.has(run.input.call.recordId);
  if (!isTakenBack) {
    const entry: LogEntry = { type: 'permission_requested', queryId, question };
    await store.log.append(lease, [stream === undefined ? entry : { ...entry, stream }]);
    await notify(run, tool);
  }
  return 'ask';
}

/** Notification: people are told that they are waited for. */
async function notify(run: ToolRun, tool: Tool): Promise<void> {
  const { mode, workingDirectory } = run.input;
  await runSessionHooks(run, 'Notification', { mode, workingDirectory }, () => ({
    message: `The agent needs your permission to use ${tool.name}`,
    title: 'Permission needed',
    notification_type: 'permission_prompt',
  }));
}

/** Somebody has answered. */
export async function afterAnswer(run: ToolRun, tool: Tool, parsed: unknown): Promise<Checked> {
  const { session, input } = run;
  const stored = await findQuestion(session.store, input.call);
  const answer = await answerOf(run, stored);
  const facts = stored?.facts ?? { notes: [] };
  if (answer === undefined) return { ran: denied('The question was answered by nobody.'), facts };
  await recordDecision(run, answer);
  if (answer.behavior === 'deny') return { ran: denied(answer.message, answer.interrupt), facts };
  await resumeAutoMode(run);
  if (answer.grants !== undefined) await grant(session, answer.grants);
  const updatedInput = answer.updatedInput ?? facts.updatedInput;
  const changed = { ...facts, ...(updatedInput !== undefined && { updatedInput }) };
  return { input: changedInput(tool, parsed, changed), facts: changed };
}

/** PermissionRequest hooks; null: none has an opinion. */
async function askHooks(
  run: ToolRun,
  tool: Tool,
  input: unknown,
  { suggestedRules }: Question,
): Promise<{ readonly ran: Ran } | { readonly input: unknown } | null> {
  const { mode, workingDirectory } = run.input;
  const verdict = await runSessionHooks(
    run,
    'PermissionRequest',
    { mode, workingDirectory },
    () => ({
      tool_name: tool.name,
      tool_input: input,
      tool_use_id: run.input.call.id,
      permission_suggestions: suggestedRules,
    }),
  );
  const answer = verdict?.requestDecision ?? null;
  if (answer === null) return null;
  if (answer.behavior === 'deny') {
    return { ran: denied(answer.message, answer.interrupt ? true : undefined) };
  }
  const facts = { notes: [], ...(answer.updatedInput && { updatedInput: answer.updatedInput }) };
  return { input: changedInput(tool, input, facts) };
}
