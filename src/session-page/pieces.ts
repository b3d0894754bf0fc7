import type { Mark, QueryFacts, TurnFacts } from './facts';
import type { ShownWords } from './shown-words';
import type { Piece } from './strip-lanes';

/** More do not fit side by side with their names. */
const TURNS_OF_PIECE = 8;
const MOST_MARKS_OF_PIECE = 60;

/** A query cut into pieces that can be read; each has the marks that fell into its time. */
export function piecesOf(
  query: QueryFacts,
  of: { readonly id: string; readonly words: ShownWords; readonly nowMs: number },
): readonly Piece[] {
  const chunks = chunksOf(query.turns);
  return chunks.map((turns, index) => {
    const from = index === 0 ? -Infinity : beginOf(turns);
    const next = chunks[index + 1];
    // What fell between turns that are not shown would draw the axis out.
    const isFollowed = next !== undefined && next[0]?.number === (turns.at(-1)?.number ?? 0) + 1;
    const to = isFollowed ? beginOf(next) : next === undefined ? Infinity : endOf(turns);
    const within = query.marks.filter(({ atMs }) => atMs >= from && atMs < to);
    return { query, turns, marks: latest(within), ...of };
  });
}

/** Turns of which some between them are hidden are no neighbours. */
function chunksOf(turns: readonly TurnFacts[]): readonly (readonly TurnFacts[])[] {
  const chunks: TurnFacts[][] = [];
  for (const turn of turns) {
    const last = chunks.at(-1);
    const isNext = last?.at(-1)?.number === turn.number - 1;
    if (last === undefined || !isNext || last.length >= TURNS_OF_PIECE) chunks.push([turn]);
    else last.push(turn);
  }
  return chunks;
}

const latest = (marks: readonly Mark[]): readonly Mark[] => marks.slice(-MOST_MARKS_OF_PIECE);

const beginOf = (turns: readonly TurnFacts[]): number => turns[0]?.requests[0]?.fromMs ?? 0;
const endOf = (turns: readonly TurnFacts[]): number => {
  const last = turns.at(-1);
  const spans = [...(last?.requests ?? []), ...(last?.calls ?? [])];
  return Math.max(...spans.map(({ fromMs, toMs }) => toMs ?? fromMs));
};
