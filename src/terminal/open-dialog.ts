import type { PermissionAnswer } from '../transcript/permission';
import type { WaitingQuestion } from '../cli/session-connection';
import { choiceList } from './choice-list';
import type { Dialog } from './dialog-view';
import type { ViewOptions } from './item-view';
import {
  cancelledAnswer,
  permissionAnswer,
  permissionChoices,
  questionView,
} from './permission-dialog';
import {
  dialogAnswer,
  dialogView,
  nextChoices,
  questionDialog,
  withAnswer,
  type QuestionDialog,
} from './question-dialog';

export interface Asking {
  readonly options: () => ViewOptions;
  /** Who answers, for the record. */
  readonly by: string;
  readonly answer: (answer: PermissionAnswer) => void;
  /** One question of several was answered: the next dialog. */
  readonly next: (dialog: Dialog) => void;
}

/** What is asked about a call that waits. */
export function openDialog({ question }: WaitingQuestion, asking: Asking): Dialog {
  const questions = questionDialog(question);
  if (questions !== null) return ofQuestions(questions, asking);
  const { by, answer, options } = asking;
  return {
    view: () => questionView(question, options()),
    list: choiceList(permissionChoices(question)),
    chosen: ([place = 0], text) => answer(permissionAnswer(question, { place, text, by })),
    cancelled: () => answer(cancelledAnswer(by)),
  };
}

function ofQuestions(questions: QuestionDialog, asking: Asking): Dialog {
  const { by, answer, next, options } = asking;
  return {
    view: () => dialogView(questions, options().theme),
    list: nextChoices(questions),
    chosen(places, text) {
      const answered = withAnswer(questions, { places, text });
      const whole = dialogAnswer(answered, by);
      if (whole === null) next(ofQuestions(answered, asking));
      else answer(whole);
    },
    cancelled: () => answer(cancelledAnswer(by)),
  };
}
