import { counted, dollars, durationText, grouped, instantText, tokensText } from './figures';
import type { HistorySource, SessionFacts } from './facts';
import { html, type Html } from './html';
import { endOf } from './query-section';
import type { Shortened } from './shortened';
import type { ShownWords } from './shown-words';
import { withSubAgents, type Totals } from './totals';

/** What the session is called: first words of what it was asked, if they may be shown. */
export function titleOf({ queries, sessionId }: SessionFacts, words: ShownWords): string {
  const [first] = queries;
  const asked = first === undefined ? '' : words.of(first).text(first.prompt ?? '');
  return asked === '' ? `Session ${sessionId.slice(0, 8)}` : asked;
}

export function headHtml(session: SessionFacts, totals: Totals, words: ShownWords): Html {
  const { sessionId, cwd, createdMs, seenMs } = session;
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } =
    totals.usage;
  const read = input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
  const cached = read === 0 ? 0 : Math.round((100 * cache_read_input_tokens) / read);
  const { label, look } = statusOf(session);
  const model = totals.models.join(', ') || (session.queries.at(-1)?.model ?? 'no model yet');
  return html`<header>
    <p class="brand">everloop session</p>
    <h1>${titleOf(session, words)}</h1>
    <p class="about">
      <span class="status ${look}">${label}</span> <code>${cwd}</code> · ${model} · begun
      ${instantText(createdMs)} · seen ${instantText(seenMs)}
    </p>
    <p class="about">session <code>${sessionId}</code></p>
    <dl class="tiles">
      ${tile('cost', dollars(totals.costUsd), 'by the price table, sub-agents included')}
      ${tile('turns', grouped(totals.turns), counted(totals.calls, 'tool call') + (totals.failed > 0 ? `, ${grouped(totals.failed)} not ok` : ''))}
      ${tile('wall time', durationText(totals.wallMs), `model ${durationText(totals.modelMs)}, tools ${durationText(totals.toolMs)}${totals.waitMs > 0 ? `, waiting for people ${durationText(totals.waitMs)}` : ''}`)}
      ${tile('tokens in', tokensText(read), `${cached} % from the cache`)}
      ${tile('tokens out', tokensText(output_tokens), `${tokensText(cache_creation_input_tokens)} written to the cache`)}
      ${tile('Workers', session.history.type === 'read' ? String(totals.workers.length) : '?', workNotes(totals))}
    </dl>
  </header> `;
}

const tile = (name: string, figure: string, note: string): Html =>
  html`<div>
    <dt>${name}</dt>
    <dd>${figure}<small>${note}</small></dd>
  </div>`;

function workNotes({ retries, rollovers, compactions, subAgents }: Totals): string {
  return [
    retries === 1 ? '1 retry' : `${grouped(retries)} retries`,
    ...(rollovers > 0 ? [counted(rollovers, 'rollover')] : []),
    ...(compactions > 0 ? [counted(compactions, 'compaction')] : []),
    ...(subAgents > 0 ? [counted(subAgents, 'sub-agent')] : []),
  ].join(', ');
}

function statusOf({ queries }: SessionFacts): { readonly label: string; readonly look: string } {
  const last = queries.at(-1);
  if (last === undefined) return { label: 'nothing yet', look: 'none' };
  const label = endOf(last);
  if (last.state === 'running') {
    const isPaused = last.pauses.some(({ toMs }) => toMs === null);
    if (isPaused) return { label: 'paused', look: 'waiting' };
    const calls = withSubAgents(last).flatMap(({ turns }) => turns.flatMap((turn) => turn.calls));
    const waits = calls.some((call) => call.waits.some(({ toMs }) => toMs === null));
    return waits ? { label: 'waits for approval', look: 'waiting' } : { label, look: 'running' };
  }
  if (last.state !== 'ended') return { label, look: 'none' };
  return { label, look: last.result?.is_error === true ? 'error' : 'ok' };
}

/** What is not on the page, and why. */
export function gapsHtml(source: HistorySource, short: Shortened): Html | null {
  const gaps = [...historyGaps(source), ...shortGaps(short)];
  return gaps.length === 0
    ? null
    : html`<aside class="gaps" aria-label="What is not on this page">
        ${gaps.map((gap) => html`<p>${gap}</p>`)}
      </aside> `;
}

const FROM_HISTORY = 'retries of tools, Workers, rollovers and pauses';

function historyGaps(source: HistorySource): readonly string[] {
  switch (source.type) {
    case 'read':
      return [];
    case 'none':
      return [
        'Recorded elsewhere: times are those of the transcript, in which a reply or a call begins when what came before it was written.',
      ];
    case 'gone':
      return [
        `The Temporal server keeps no Event History of ${source.missing} of ${counted(source.of, 'query', 'queries')} any more: ${FROM_HISTORY} are not shown for them. The rest is from the transcript store.`,
      ];
    case 'away':
      return [
        `The Temporal server could not be asked (${source.reason}): ${FROM_HISTORY} are not shown. The rest is from the transcript store.`,
      ];
  }
}

function shortGaps({ hiddenTurns, hiddenCalls }: Shortened): readonly string[] {
  if (hiddenTurns === 0 && hiddenCalls === 0) return [];
  return [
    `${counted(hiddenTurns, 'turn')} and ${counted(hiddenCalls, 'tool call')} are left out, so that the page stays usable. The figures above and the picture of the whole session count them.`,
  ];
}
