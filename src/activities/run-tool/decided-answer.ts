import {
  decisionName,
  NO_GRANTS,
  type PermissionAnswer,
  type PermissionDecision,
} from '../../transcript/permission';
import { AskUserQuestionInput } from '../../tools/ask-user-question';
import type { Decision } from '../../workflows/approval';
import type { ToolRun } from './run-tool';
import type { StoredQuestion } from './stored-question';

/** The answer that counts: what the Workflow was told, else the first one in the store; undefined: there is none. */
export async function answerOf(
  { session, input }: ToolRun,
  stored: StoredQuestion | undefined,
): Promise<PermissionAnswer | undefined> {
  const { call, decision } = input;
  return decision === undefined ? session.store.findAnswer(call) : toAnswer(decision, stored);
}

/** Keeps who decided, for as long as the session is kept, and tells observers. Safe to repeat. */
export async function recordDecision(
  { deps, session, queryId, input, call }: ToolRun,
  { behavior, by }: Pick<PermissionAnswer, 'behavior' | 'by'>,
): Promise<void> {
  const { store, lease } = session;
  const { note, at, remember, isSigned } = input.decision ?? {};
  const name = decisionName(input.call);
  const before = (await store.readDocument(name)) as PermissionDecision | undefined;
  const decision: PermissionDecision = before ?? {
    call: input.call,
    toolName: call.name,
    behavior,
    by,
    at: at ?? deps.now().toISOString(),
    ...(note !== undefined && { note }),
    ...(remember !== undefined && { remember }),
    ...(isSigned !== undefined && { isSigned }),
  };
  if (before === undefined) await store.writeDocument(lease, name, decision);
  await store.log.append(lease, [{ type: 'permission_decided', queryId, decision }]);
}

function toAnswer(decision: Decision, stored: StoredQuestion | undefined): PermissionAnswer {
  const { behavior, by, remember, answers } = decision;
  if (behavior === 'deny') return { behavior, message: textOf(decision), by };
  const allow = stored?.question.suggestedRules ?? [];
  const updatedInput =
    answers === undefined ? undefined : answered(stored?.question.input, answers);
  return {
    behavior,
    by,
    ...(remember === true && { grants: { ...NO_GRANTS, allow } }),
    ...(updatedInput !== undefined && { updatedInput }),
  };
}

/** For the model. */
function textOf({ by, note, isTimeout }: Decision): string {
  if (isTimeout === true) {
    return 'Nobody decided about this call in the time that is set for it, so it was denied. Go on without it, or tell the user what is needed.';
  }
  const reason = note === undefined ? '.' : `: ${note}`;
  return `The call was denied by ${by}${reason}\nDo not try to get the same effect another way. Go on without it, or ask how to proceed.`;
}

/** The questions with their answers, in order; one that is left open has none. */
function answered(
  input: unknown,
  answers: readonly string[],
): Readonly<Record<string, unknown>> | undefined {
  const asked = AskUserQuestionInput.safeParse(input);
  if (!asked.success) return undefined;
  const given = asked.data.questions
    .map(({ question }, index) => [question, answers[index]] as const)
    .filter(([, answer]) => answer !== undefined);
  return { ...asked.data, answers: Object.fromEntries(given) };
}
