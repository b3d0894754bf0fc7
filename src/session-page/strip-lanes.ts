import { dollars, tokensText } from './figures';
import type { CallFacts, Mark, QueryFacts, RequestFacts, Span, TurnFacts } from './facts';
import { pack, type Bar, type Lane } from './lane';
import { callNotes, OUTCOMES, REQUEST_WORDS, spanText } from './outcome-words';
import { callId, turnId } from './row-id';
import type { ShownWords } from './shown-words';
import type { TimeAxis } from './time-axis';

/** A piece of a query that is drawn on an axis of its own. */
export interface Piece {
  readonly query: QueryFacts;
  /** Prefix of the ids of its rows. */
  readonly id: string;
  readonly turns: readonly TurnFacts[];
  readonly marks: readonly Mark[];
  readonly words: ShownWords;
  readonly nowMs: number;
}

/** From top to bottom: what happened, the model, its tools, and the same of each sub-agent. */
export function lanesOf(piece: Piece, axis: TimeAxis): readonly Lane[] {
  const events = pack(piece.marks.map((mark) => markBar(mark, piece.words, axis)));
  return [
    ...events.map((bars, index): Lane => ({ name: index === 0 ? 'events' : '', depth: 0, bars })),
    ...workLanes(piece, axis, { model: 'model', tools: 'tools' }, 0),
  ];
}

function workLanes(
  piece: Piece,
  axis: TimeAxis,
  names: { readonly model: string; readonly tools: string },
  depth: number,
): readonly Lane[] {
  const { turns, query, words, id } = piece;
  const asked = [
    ...turns.flatMap((turn) => turn.requests.map((one) => requestBar(turn, one, piece, axis))),
    ...query.compactions
      .filter(({ fromMs }) => isWithin(fromMs, turns))
      .map((one) => compactionBar(one, piece, axis)),
  ];
  const tools = turns.flatMap((turn) =>
    turn.calls.map((call, index) => callBar(call, { turn, index }, piece, axis)),
  );
  const agents = turns.flatMap((turn) =>
    turn.calls.flatMap(({ subAgent, summary }, index) => {
      if (subAgent === null) return [];
      const own = callId(id, turn.number, index);
      const name = words.text(aboutOf(summary)) || 'sub-agent';
      const below = { ...piece, query: subAgent, id: own, turns: subAgent.turns, marks: [] };
      return workLanes(below, axis, { model: name, tools: '' }, depth + 1);
    }),
  );
  return [
    { name: names.model, depth, bars: asked.sort((a, b) => a.from - b.from) },
    ...pack(tools).map((bars, index): Lane => ({
      name: index === 0 ? names.tools : '',
      depth,
      bars,
    })),
    ...agents,
  ];
}

/** Without the type: "Explore: the parser". */
const aboutOf = (summary: string): string => summary.replace(/^[\w-]+: /, '');

/** Everything that has to lie on the axis of the piece. */
export function edgesOf({ turns, marks, nowMs, query }: Piece): readonly number[] {
  const spans: Span[] = [];
  const add = (all: readonly TurnFacts[]): void => {
    for (const { requests, calls } of all) {
      spans.push(...requests);
      for (const call of calls) {
        spans.push(call, ...call.waits);
        if (call.subAgent) add(call.subAgent.turns);
      }
    }
  };
  add(turns);
  spans.push(...query.compactions.filter(({ fromMs }) => isWithin(fromMs, turns)));
  return [
    ...spans.flatMap(({ fromMs, toMs }) => [fromMs, toMs ?? nowMs]),
    ...marks.map(({ atMs }) => atMs),
  ];
}

/** Since the turns began, and before they had ended. */
function isWithin(ms: number, turns: readonly TurnFacts[]): boolean {
  const last = turns.at(-1);
  const spans = [...(last?.requests ?? []), ...(last?.calls ?? [])];
  const from = turns[0]?.requests[0]?.fromMs ?? 0;
  return ms >= from && ms <= Math.max(...spans.map(({ toMs }) => toMs ?? Infinity));
}

function requestBar(turn: TurnFacts, request: RequestFacts, piece: Piece, axis: TimeAxis): Bar {
  const { reply } = turn;
  const isKept = request.outcome === 'committed' && reply !== null;
  const said = [
    `turn ${turn.number} · model ${REQUEST_WORDS[request.outcome]}`,
    spanText(request, piece.nowMs),
    ...(isKept
      ? [
          `${tokensText(reply.usage.output_tokens)} tokens out`,
          dollars(reply.costUsd),
          reply.stopReason ?? 'no stop reason',
        ]
      : []),
    ...(request.reason === null ? [] : [piece.words.text(request.reason)]),
  ];
  return {
    ...placed(request, piece, axis),
    look: `model ${request.outcome}`,
    label: request.outcome === 'committed' ? `turn ${turn.number}` : `turn ${turn.number} ✕`,
    title: said.filter((part) => part !== '').join(' · '),
    row: turnId(piece.id, turn.number),
    inner: [],
  };
}

function compactionBar(span: Span, piece: Piece, axis: TimeAxis): Bar {
  return {
    ...placed(span, piece, axis),
    look: 'model compaction',
    label: 'compaction',
    title: `compaction · ${spanText(span, piece.nowMs)}`,
    row: null,
    inner: [],
  };
}

function callBar(
  call: CallFacts,
  { turn, index }: { readonly turn: TurnFacts; readonly index: number },
  piece: Piece,
  axis: TimeAxis,
): Bar {
  const { words, nowMs } = piece;
  const { sign, word } = OUTCOMES[call.outcome];
  const { from, to } = placed(call, piece, axis);
  const inner = [
    ...(call.lastAttemptMs === null
      ? []
      : [{ from, to: axis.place(call.lastAttemptMs), look: 'lost' }]),
    ...call.waits.map((wait) => ({ ...placed(wait, piece, axis), look: 'wait' })),
  ];
  const title = [words.call(call), word, spanText(call, nowMs), ...callNotes(call, nowMs)];
  const again = call.attempts > 1 ? ` ↻${call.attempts}` : '';
  const failed = call.outcome === 'ok' ? '' : `${sign} `;
  return {
    from,
    to,
    look: `tool ${call.outcome}${call.subAgent === null ? '' : ' agent'}`,
    label: `${failed}${words.call(call)}${again}`,
    title: `turn ${turn.number} · ${title.join(' · ')}`,
    row: callId(piece.id, turn.number, index),
    inner,
  };
}

const SIGNS: Readonly<Record<Mark['type'], string>> = {
  retry: '↻',
  worker: '⚡',
  rollover: '⟳',
  message: '✉',
  notice: '⚠',
};

function markBar(mark: Mark, words: ShownWords, axis: TimeAxis): Bar {
  const at = axis.place(mark.atMs);
  const said = words.mark(mark);
  return {
    from: at,
    to: at,
    look: `mark ${mark.type}`,
    label: `${SIGNS[mark.type]} ${said}`,
    title: said,
    row: null,
    inner: [],
  };
}

const placed = (
  { fromMs, toMs }: Span,
  { nowMs }: Pick<Piece, 'nowMs'>,
  axis: TimeAxis,
): { readonly from: number; readonly to: number } => ({
  from: axis.place(fromMs),
  to: axis.place(toMs ?? nowMs),
});
