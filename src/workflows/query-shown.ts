import { costOfQuery } from '../loop/tally';
import type { LimitName, Limits } from '../loop/limits';
import type { LimitedDetail } from '../visibility/ui-detail';
import type { Hold } from './hold';
import type { OpenQuestion, QueryInput } from './interface';
import type { Progress } from './progress';
import { toWaitingFor } from '../visibility/search-attributes';
import type { QueryMail } from './query-mail';

/** What people may see of a query that runs. */
export interface QueryShown {
  readonly status:
    'running' | 'awaiting-approval' | 'awaiting-answer' | 'awaiting-workspace' | 'paused';
  /** null: nothing. */
  readonly waitingFor: string | null;
  readonly turn: number;
  readonly model: string;
  readonly transition: string | null;
  readonly costUsd: number;
  /** Of the last request and its reply. */
  readonly contextTokens: number;
  readonly questions: readonly OpenQuestion[];
  readonly queued: number;
  readonly subAgents: readonly string[];
  /** The limit that it is over; null: none. */
  readonly crossed: LimitName | null;
  readonly limits: Limits;
  /** Name of the workspace that it waits for; null: none. */
  readonly missing: string | null;
  /** First words of what it answers; null: none are shown. */
  readonly summary: string | null;
  /** null: all. */
  readonly detail: LimitedDetail | null;
}

export interface QueryParts {
  readonly mail: QueryMail;
  readonly hold: Hold;
  readonly progress: Progress;
}

export function shownOf(input: QueryInput, { mail, hold, progress }: QueryParts): QueryShown {
  const { counters, transition, tally } = progress;
  const detail = input.view?.detail ?? null;
  const questions = mail.questions.open;
  return {
    ...waitOf(questions, { hold, mail }, detail),
    turn: counters.turn,
    model: progress.model ?? input.toolUseContext.model,
    transition,
    costUsd: costOfQuery(tally),
    contextTokens: counters.contextTokens,
    questions,
    queued: mail.queued.length,
    subAgents: mail.subAgents.running,
    crossed: hold.waitingFor === 'budget' ? hold.crossed : null,
    limits: hold.limits,
    missing: mail.placement.waitingFor,
    summary: input.view?.summary ?? null,
    detail,
  };
}

/** Whoever can be asked comes first: an answer is what most people wait to give. */
function waitOf(
  questions: readonly OpenQuestion[],
  { hold, mail }: Pick<QueryParts, 'hold' | 'mail'>,
  detail: LimitedDetail | null,
): Pick<QueryShown, 'status' | 'waitingFor'> {
  const call = questions.find(({ isQuestion }) => isQuestion !== true);
  if (call !== undefined) {
    const waitingFor = detail === 'none' ? 'approval' : `approval: ${call.name}`.slice(0, 100);
    return { status: 'awaiting-approval', waitingFor };
  }
  if (questions.length > 0) return { status: 'awaiting-answer', waitingFor: 'answer' };
  switch (hold.waitingFor) {
    case 'resume':
      return { status: 'paused', waitingFor: 'resume' };
    case 'budget':
      return { status: 'paused', waitingFor: `budget: ${hold.crossed ?? 'usd'}` };
    case null: {
      const missing = mail.placement.waitingFor;
      if (missing === null) return { status: 'running', waitingFor: null };
      return { status: 'awaiting-workspace', waitingFor: toWaitingFor(missing) };
    }
  }
}
