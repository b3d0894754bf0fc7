import type { LimitName } from '../loop/limits';
import { factsOfModel } from '../loop/price-table';
import type { OpenQuestion } from './interface';
import type { QueryShown } from './query-shown';

const MOST_QUESTIONS = 10;

/** The current details of a query, as the Temporal UI shows them. Markdown. */
export function queryDetails(shown: QueryShown): string {
  const { status, turn, questions } = shown;
  const more = questions.length - MOST_QUESTIONS;
  return [
    `**${status}** · turn ${turn}`,
    // A run after a rollover has no static summary.
    ...(shown.summary === null ? [] : [`> ${oneLine(shown.summary)}`]),
    ...(shown.detail === 'none' ? [] : [figures(shown)]),
    ...(shown.queued > 0 ? [`Messages that wait: ${shown.queued}`] : []),
    ...(shown.subAgents.length > 0 ? [`Sub-agents at work: ${codes(shown.subAgents)}`] : []),
    ...questions.slice(0, MOST_QUESTIONS).map((question) => ask(question, shown)),
    ...(more > 0 ? [`And ${more} more calls wait.`] : []),
    ...cureOfHold(shown),
    ...cureOfPlace(shown),
  ].join('\n\n');
}

function figures({ model, transition, contextTokens, costUsd, limits }: QueryShown): string {
  const { contextWindow } = factsOfModel(model);
  const percent = Math.round((100 * contextTokens) / contextWindow);
  const { maxBudgetUsd, maxTurns } = limits;
  return list([
    ['model', model],
    ['last transition', transition ?? 'none yet'],
    ['context', `${grouped(contextTokens)} of ${grouped(contextWindow)} tokens (${percent} %)`],
    ['cost', `$${costUsd.toFixed(4)}${maxBudgetUsd == null ? '' : ` of $${maxBudgetUsd}`}`],
    ...(maxTurns === null ? [] : [['turns allowed', String(maxTurns)] as const]),
  ]);
}

const list = (rows: readonly (readonly [string, string])[]): string =>
  rows.map(([name, value]) => `- ${name}: ${value}`).join('\n');

function ask(question: OpenQuestion, { detail }: QueryShown): string {
  const { call, name, summary, why, digest, isQuestion, needsSignature, expiresAt } = question;
  const what = detail === 'none' ? 'a tool' : `**${name}** ${detail === null ? code(summary) : ''}`;
  const update = isQuestion === true ? '`answer`' : '`approve` or `deny`';
  const input = {
    toolUseId: call.id,
    who: 'your name',
    ...(digest !== undefined && { digest }),
    ...(isQuestion === true && { answers: ['…'] }),
  };
  return [
    `${isQuestion === true ? 'Asks' : 'Waits for a yes to'} ${what.trim()}`,
    ...(detail === null && why !== undefined ? [`> ${oneLine(why)}`] : []),
    ...(expiresAt === undefined ? [] : [`Until ${expiresAt}.`]),
    ...(needsSignature === true
      ? [`Needs a signature: \`everloop approve SESSION ${call.id} --key FILE\``]
      : [`Send the Update ${update} with`, block(input)]),
  ].join('\n\n');
}

const RAISED: Readonly<Record<LimitName, object>> = {
  usd: { maxBudgetUsd: null },
  tokens: { maxTokens: null },
  time: { maxMs: null },
  turns: { maxTurns: null },
};

function cureOfHold({ status, crossed }: QueryShown): readonly string[] {
  if (status !== 'paused') return [];
  if (crossed === null) return ['Send the Signal `resume`.'];
  return [
    `It is over its limit (${crossed}). Send the Update \`change\` with a higher one, or with none:`,
    block(RAISED[crossed]),
  ];
}

function cureOfPlace({ missing }: QueryShown): readonly string[] {
  if (missing === null) return [];
  return [
    `No Worker of the workspace ${code(missing)} takes what it has to do. It goes on when one does: start \`everloop worker\` on a host with these files, or move it: \`everloop workspace move SESSION --to NAME\``,
  ];
}

const block = (input: object): string => `\`\`\`json\n${JSON.stringify(input)}\n\`\`\``;
const oneLine = (text: string): string => text.replace(/\s+/g, ' ');
/** What stands between backticks is shown as it is; one in it would end it. */
const code = (text: string): string => (text === '' ? '' : `\`${text.replaceAll('`', 'ˋ')}\``);
const codes = (texts: readonly string[]): string => texts.map(code).join(', ');
const grouped = (tokens: number): string => String(tokens).replace(/\B(?=(\d{3})+$)/g, ',');
