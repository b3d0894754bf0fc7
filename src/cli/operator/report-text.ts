import { factsOfModel } from '../../loop/price-table';
import { costOfQuery } from '../../loop/tally';
import type { QueryStatus } from '../../workflows/interface';
import { ago } from '../output/ago';
import type { Layout } from '../output/layout';
import type { PendingWork } from './pending-work';
import { BLANK, reportLines, row, type ReportLine, type Tone } from './report-lines';
import type { QueryReport, SessionReport } from './session-report';

/** A report for people: what it does, why, and the command that helps. `layout`: of the terminal that they look at;
 *  null: there is none. */
export function reportText(report: SessionReport, layout: Layout | null = null): string {
  const { sessionId, cwd, createdAt, waiting, lastResult } = report;
  const rows: readonly ReportLine[] = [
    { type: 'heading', text: `Session ${sessionId}` },
    row('state', stateOf(report), toneOf(report)),
    row('folder', cwd),
    row('created', layout ? `${ago(createdAt, layout.nowMs)} (${createdAt})` : createdAt),
    row('served by', servedBy(report)),
    ...(waiting.length > 0 ? [row('messages', `${waiting.length} wait`)] : []),
    ...(lastResult === null ? [] : [row('last result', resultOf(lastResult))]),
    ...troubleOf(report),
    ...report.queries.flatMap((query) => [BLANK, ...queryLines(query)]),
    ...helpFor(report),
  ];
  return `${reportLines(rows, layout).join('\n')}\n`;
}

/** What its state means to whoever looks at it. */
function toneOf({ state, isServed, queries, trouble }: SessionReport): Tone {
  if (state === 'ended') return 'dim';
  const [query] = queries;
  if (query === undefined) return 'plain';
  if (!isServed || (trouble !== null && trouble.type !== 'held')) return 'bad';
  const isHeld = query.own !== null && (query.own.waitingFor ?? query.own.questions[0]) != null;
  return isHeld || query.waitingFor !== null ? 'warning' : 'good';
}

function stateOf({ state, paused, queries }: SessionReport): string {
  if (state === 'ended') return 'ended; it can be resumed';
  const [query] = queries;
  if (query !== undefined) return statusOf(query);
  return paused ? 'paused' : 'open, with nothing to do';
}

/** What a query says itself is newer than the index. */
function statusOf({ own, status, waitingFor }: QueryReport): string {
  if (own === null) return [status ?? 'running', waitingFor].filter(Boolean).join(', waits for ');
  const [question] = own.questions;
  if (question !== undefined) {
    const kind = question.isQuestion === true ? 'an answer' : 'approval';
    return `waits for ${kind}: ${question.name} ${question.summary}`.trim();
  }
  if (own.waitingFor === 'resume') return 'paused by a person';
  if (own.waitingFor === 'workspace') {
    return `waits for a Worker of its workspace: ${own.workspace ?? ''}`;
  }
  if (own.waitingFor === 'budget') return `paused: it is over its limit (${own.crossed ?? 'usd'})`;
  return 'running';
}

function servedBy({ isServed, worker, taskQueue }: SessionReport): string {
  if (isServed) return `Worker ${worker ?? ''} on ${taskQueue}`;
  return worker === null ? `nobody (${taskQueue})` : `nobody: Worker ${worker} is gone`;
}

const resultOf = (result: NonNullable<SessionReport['lastResult']>): string =>
  [
    `${result.terminal_reason} after ${result.num_turns} turns, $${result.total_cost_usd.toFixed(4)}`,
    ...(result.errors ?? []).slice(0, 1),
  ].join(': ');

function troubleOf({ trouble }: SessionReport): readonly ReportLine[] {
  if (trouble === null) return [];
  switch (trouble.type) {
    // Its state says so.
    case 'held':
      return [];
    case 'server_away':
      return [row('trouble', 'the Temporal server does not answer')];
    case 'stuck':
      return [row('trouble', `the Workflow fails in the code of its Worker: ${trouble.message}`)];
    case 'retrying':
      return [row('trouble', `${trouble.activity} is tried again and again: ${trouble.message}`)];
  }
}

function queryLines(query: QueryReport): readonly ReportLine[] {
  const { workflowId, summary, events, pending, own, model } = query;
  return [
    { type: 'heading', text: `Query ${workflowId}` },
    ...(summary === null ? [] : [row('prompt', summary)]),
    ...(own === null
      ? [row('model', model ?? 'unknown'), row('figures', 'nobody serves it, so nobody can say')]
      : figuresOf(own, model)),
    row('history', `${events} events in this run`),
    ...pending.map((one) => row('activity', pendingText(one))),
  ];
}

/** In the order in which a loop goes wrong: it does not stop, its context fills up, its replies are cut off, another
 *  model answers, its tools are refused. */
function figuresOf(own: QueryStatus, model: string | null): readonly ReportLine[] {
  const { counters, tally, limits, transition } = own;
  const { recoveries, contextTokens, compactions, lastCompactionTurn } = counters;
  const models = Object.keys(tally.usageByModel);
  const { contextWindow } = factsOfModel(models.at(-1) ?? model ?? '');
  const percent = Math.round((100 * contextTokens) / contextWindow);
  const blocked = recoveries.stop_hook_blocking ?? 0;
  const cutOff =
    (recoveries.max_output_tokens_escalate ?? 0) + (recoveries.max_output_tokens_recovery ?? 0);
  const compacted =
    compactions === 0 ? '' : `, compacted ${compactions}x, last in turn ${lastCompactionTurn ?? 0}`;
  return [
    row(
      'turn',
      `${own.turn} of ${limits.maxTurns ?? 'any number'}, ${counters.iterations} iterations`,
    ),
    row('transition', transition ?? 'none yet'),
    ...(blocked > 0 ? [row('stop hooks', `kept it from ending ${blocked}x`)] : []),
    row('context', `${contextTokens} of ${contextWindow} tokens (${percent} %)${compacted}`),
    ...(cutOff > 0 ? [row('output limit', `replies were cut off ${cutOff}x`)] : []),
    row('model', models.join(', then ') || (model ?? 'unknown')),
    row('cost', `$${costOfQuery(tally).toFixed(4)} of ${dollars(limits.maxBudgetUsd)}`),
    ...(tally.denied.length > 0 ? [row('refused', `${tally.denied.length} tool calls`)] : []),
    ...(own.subAgents.length > 0 ? [row('sub-agents', own.subAgents.join(', '))] : []),
  ];
}

const dollars = (usd: number | null | undefined): string =>
  usd == null ? 'any amount' : `$${usd}`;

function pendingText({
  activity,
  state,
  attempt,
  doing,
  elapsedSeconds,
  lastFailure,
}: PendingWork) {
  const time = elapsedSeconds === null ? '' : ` for ${elapsedSeconds} s`;
  return [
    `${activity} ${state}${state === 'runs' ? time : ''}, attempt ${attempt}`,
    ...(doing === null ? [] : [doing]),
    ...(lastFailure === null ? [] : [`before: ${lastFailure.slice(0, 300)}`]),
  ].join(' · ');
}

function helpFor(report: SessionReport): readonly ReportLine[] {
  const commands = commandsFor(report);
  if (commands.length === 0) return [];
  return [
    BLANK,
    { type: 'heading', text: 'What helps:' },
    ...commands.map((text) => ({ type: 'command', text }) as const),
  ];
}

/** Ready to be typed. */
export function commandsFor({
  sessionId,
  state,
  isServed,
  queries,
  paused,
}: SessionReport): string[] {
  if (state === 'ended') return [`everloop -p --resume ${sessionId} "…"`];
  const questions = queries.flatMap(({ own }) => own?.questions ?? []);
  const holds = queries.flatMap(({ own }) => own?.waitingFor ?? []);
  return [
    ...(isServed ? [] : [`everloop attach ${sessionId}`, 'everloop worker']),
    ...questions.flatMap(({ call: { id }, isQuestion }) =>
      isQuestion === true
        ? [`everloop answer ${sessionId} ${id} "…"`]
        : [`everloop approve ${sessionId} ${id}`, `everloop deny ${sessionId} ${id} --note "…"`],
    ),
    ...(paused || holds.includes('resume') ? [`everloop resume ${sessionId}`] : []),
    ...(holds.includes('workspace') ? [`everloop workspace move ${sessionId} --to NAME`] : []),
    ...(holds.includes('budget') ? [`everloop budget ${sessionId}`] : []),
  ];
}
