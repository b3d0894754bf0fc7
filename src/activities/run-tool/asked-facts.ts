import { shortDigest } from '../../permissions/input-digest';
import { preview } from '../../redact/preview';
import type { PermissionQuestion } from '../../transcript/permission';
import type { AskedFacts } from '../../workflows/approval';
import type { AskOutcome } from '../interface';
import type { ToolRun } from './run-tool';
import { findQuestion } from './stored-question';

/** That the call waits, with what people may see of it in its Workflow. */
export async function askOutcome({ deps, session, input, place }: ToolRun): Promise<AskOutcome> {
  const stored = await findQuestion(session.store, input.call);
  if (stored === undefined) return { type: 'ask' };
  const { question } = stored;
  const isQuestion = question.reasonType === 'user_interaction';
  const settings = await deps.surroundings.approvals?.(place);
  const facts: AskedFacts = {
    why: preview(isQuestion ? choicesIn(question.input) : question.reason),
    digest: shortDigest(question.input),
    ...(isQuestion && { isQuestion }),
    ...(question.suggestedRules.length > 0 && { canRemember: true }),
    ...(settings?.requireSignature === true && { needsSignature: true }),
    ...(settings?.timeout != null && { timeout: settings.timeout }),
  };
  return { type: 'ask', facts };
}

/** What the questions offer, as far as they are written as those of AskUserQuestion. */
function choicesIn(input: PermissionQuestion['input']): string {
  const questions = listIn(input, 'questions');
  const choices = questions.map((question) =>
    listIn(question, 'options')
      .map((option) => fieldOf(option, 'label'))
      .filter((label) => typeof label === 'string')
      .join(' | '),
  );
  return `choices: ${choices.join('; ')}`;
}

function listIn(value: unknown, name: string): readonly unknown[] {
  const found = fieldOf(value, name);
  return Array.isArray(found) ? found : [];
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
