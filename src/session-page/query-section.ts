import { counted, dollars, durationText, instantText } from './figures';
import type { QueryFacts } from './facts';
import { html, Html } from './html';
import { spanText } from './outcome-words';
import { piecesOf } from './pieces';
import type { ShownWords } from './shown-words';
import { stripHtml } from './strip';
import type { Piece } from './strip-lanes';
import { costOfTurn } from './totals';
import { turnTable } from './turn-table';

/** Where there are more, the tables are folded at first. */
const MOST_OPEN_TABLES = 3;

/** A message of a person and the work for it. `id`: of the section, and prefix of its rows. */
export function querySection(
  query: QueryFacts,
  of: {
    readonly id: string;
    readonly number: number;
    readonly words: ShownWords;
    readonly nowMs: number;
    /** Pieces on the whole page. */
    readonly pieces: number;
  },
): Html {
  const { id, number, words, nowMs, pieces: all } = of;
  const pieces = piecesOf(query, { id, words, nowMs });
  const prompt = words.text(query.prompt ?? '');
  const isOpen = all <= MOST_OPEN_TABLES;
  return html`<section id="${id}" aria-labelledby="${id}h">
    <h2 id="${id}h"><span class="number">Message ${number}</span> ${prompt}</h2>
    <p class="about">
      ${instantText(query.fromMs)} · ${spanText(query, nowMs)} ·
      ${counted(query.turns.length, 'turn')} · ${endOf(query)}
    </p>
    ${failuresOf(query, words)}${pieces.map((piece) => pieceHtml(piece, pieces.length > 1, isOpen))}
  </section> `;
}

export const pieceCount = (queries: readonly QueryFacts[], words: ShownWords): number =>
  queries.reduce((sum, query) => sum + piecesOf(query, { id: '', words, nowMs: 0 }).length, 0);

/** The end in a word or two. */
export function endOf({ state, result }: QueryFacts): string {
  switch (state) {
    case 'running':
      return 'running';
    case 'unfinished':
      return 'no end on record';
    case 'recorded':
      return 'recorded before';
    case 'ended':
      return result?.is_error === true
        ? `${result.subtype} (${result.terminal_reason})`
        : (result?.terminal_reason ?? 'ended');
  }
}

function failuresOf({ result }: QueryFacts, words: ShownWords): readonly Html[] {
  return (result?.errors ?? [])
    .map((error) => words.text(error))
    .filter((error) => error !== '')
    .map((error) => html`<p class="failure">${error}</p>`);
}

function pieceHtml(piece: Piece, isNamed: boolean, isOpen: boolean): Html {
  const { turns, id } = piece;
  const [first, last] = [turns[0]?.number ?? 0, turns.at(-1)?.number ?? 0];
  const cost = turns.reduce((sum, turn) => sum + costOfTurn(turn), 0);
  const name = first === last ? `turn ${first}` : `turns ${first} to ${last}`;
  const calls = turns.flatMap((turn) => turn.calls);
  const busy = durationText(
    turns
      .flatMap(({ requests }) => requests)
      .reduce((ms, one) => ms + (one.toMs ?? one.fromMs) - one.fromMs, 0),
  );
  const summary = `${name}: ${counted(calls.length, 'call')}, ${busy} with the model, ${dollars(cost)}`;
  return html`<div class="piece" id="${id}p${first}">
${isNamed ? html`<h3>${name}</h3>` : null}${stripHtml(piece)}<details${new Html(isOpen ? ' open' : '')}><summary>${summary}</summary>
${turnTable(piece, turns)}</details></div>
`;
}
