import { AskUserQuestionInput } from '../tools/ask-user-question';
import type { PermissionAnswer, PermissionQuestion } from '../transcript/permission';
import { printable, wrapped, type Block } from './block';
import { choiceList, type ChoiceList } from './choice-list';
import type { Theme } from './theme';

/** Questions of the model to the person, asked one after the other. Immutable. */
export interface QuestionDialog {
  readonly asked: AskUserQuestionInput;
  /** By the text of the question. */
  readonly answers: Readonly<Record<string, string>>;
}

/** null: the call is no question to the person. */
export function questionDialog({ toolName, input }: PermissionQuestion): QuestionDialog | null {
  if (toolName !== 'AskUserQuestion') return null;
  const parsed = AskUserQuestionInput.safeParse(input);
  return parsed.success ? { asked: parsed.data, answers: {} } : null;
}

/** The question that comes next; undefined: all are answered. */
function nextQuestion({ asked, answers }: QuestionDialog) {
  return asked.questions.find(({ question }) => !Object.hasOwn(answers, question));
}

export function nextChoices(dialog: QuestionDialog): ChoiceList {
  const next = nextQuestion(dialog);
  const other = { label: 'Other', asksFor: 'Your answer' };
  return choiceList([...(next?.options ?? []), other], { isMultiple: next?.multiSelect === true });
}

/** `places`: of the choices; `text`: of "Other". */
export function withAnswer(
  dialog: QuestionDialog,
  { places, text }: { readonly places: readonly number[]; readonly text: string },
): QuestionDialog {
  const next = nextQuestion(dialog);
  if (next === undefined) return dialog;
  const labels = places.map((place) => next.options[place]?.label ?? text);
  const answer = labels.filter((label) => label !== '').join(', ');
  return { ...dialog, answers: { ...dialog.answers, [next.question]: answer } };
}

/** null: a question is left. */
export function dialogAnswer(dialog: QuestionDialog, by: string): PermissionAnswer | null {
  if (nextQuestion(dialog) !== undefined) return null;
  const answers = Object.fromEntries(
    Object.entries(dialog.answers).filter(([, answer]) => answer !== ''),
  );
  return { behavior: 'allow', by, updatedInput: { ...dialog.asked, answers } };
}

export function dialogView(dialog: QuestionDialog, theme: Theme): readonly Block[] {
  const next = nextQuestion(dialog);
  if (next === undefined) return [];
  const header = next.header === '' ? '' : `${theme.accent(printable(next.header))}  `;
  return [wrapped(`${theme.warning('?')} ${header}${theme.bold(printable(next.question))}`)];
}
