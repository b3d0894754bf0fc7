import { insertedText, type ContextMessage } from './context-message';
import type { Reduction } from './token-count';

/** A run of messages and the text that can stand for it. */
export interface CollapsedSpan {
  readonly fromUuid: string;
  /** Inclusive. */
  readonly toUuid: string;
  readonly summary: string;
  readonly tokensFreed: number;
}

/** In the view its messages are replaced; in the history they stay. */
export interface CommittedSpan extends CollapsedSpan, Reduction {}

/** Everything that was collapsed, oldest first. Recorded by the caller: the same log over the same messages is the
 *  same view, byte for byte. */
export interface CollapseLog {
  /** Prepared, not yet in the view. */
  readonly staged: readonly CollapsedSpan[];
  readonly committed: readonly CommittedSpan[];
}

export const EMPTY_COLLAPSE_LOG: CollapseLog = { staged: [], committed: [] };

export interface Drained {
  /** How many spans were committed now. */
  readonly committed: number;
  readonly log: CollapseLog;
}

/** The view: each committed span is replaced by its summary. A span that is not whole in the messages (another
 *  branch, a compaction) does nothing. */
export function project(
  messages: readonly ContextMessage[],
  { committed }: Pick<CollapseLog, 'committed'>,
): readonly ContextMessage[] {
  const ranges = rangesOf(messages, committed);
  if (ranges.length === 0) return messages;
  const view: ContextMessage[] = [];
  let next = 0;
  for (const { from, until, span } of ranges) {
    view.push(...messages.slice(next, from));
    for (const { uuid, atMs } of messages.slice(from, from + 1))
      view.push(insertedText(`collapse-${uuid}`, span.summary, atMs));
    next = until;
  }
  return [...view, ...messages.slice(next)];
}

/** uuids of all messages in spans of the log. */
export function collapsedUuids(
  messages: readonly ContextMessage[],
  { staged, committed }: CollapseLog,
): ReadonlySet<string> {
  const ranges = rangesOf(messages, [...committed, ...staged]);
  return new Set(
    ranges.flatMap(({ from, until }) => messages.slice(from, until).map(({ uuid }) => uuid)),
  );
}

interface Range<Span> {
  readonly from: number;
  readonly until: number;
  readonly span: Span;
}

/** In the order of the messages, without overlaps. */
function rangesOf<Span extends CollapsedSpan>(
  messages: readonly ContextMessage[],
  spans: readonly Span[],
): readonly Range<Span>[] {
  if (spans.length === 0) return [];
  const indexes = new Map(messages.map(({ uuid }, index) => [uuid, index]));
  let last = 0;
  return spans
    .flatMap((span): readonly Range<Span>[] => {
      const from = indexes.get(span.fromUuid);
      const to = indexes.get(span.toUuid);
      return from === undefined || to === undefined ? [] : [{ from, until: to + 1, span }];
    })
    .sort((a, b) => a.from - b.from)
    .filter(({ from, until }) => {
      const isNext = from >= last && until > from;
      if (isNext) last = until;
      return isNext;
    });
}

/** Brings staged spans into the view, oldest first, until enough is freed. */
export function commit(
  messages: readonly ContextMessage[],
  log: CollapseLog,
  tokensToFree: number,
): Drained {
  const madeAfter = messages.at(-1)?.uuid ?? '';
  let tokens = 0;
  const enough = log.staged.findIndex(({ tokensFreed }) => (tokens += tokensFreed) >= tokensToFree);
  const count = enough === -1 ? log.staged.length : enough + 1;
  if (count === 0) return { committed: 0, log };
  const committed = log.staged.slice(0, count).map((span) => ({ ...span, madeAfter }));
  return {
    committed: count,
    log: { staged: log.staged.slice(count), committed: [...log.committed, ...committed] },
  };
}

/** Commits everything staged: what is tried first when the API says that the prompt is too long. */
export const drain = (messages: readonly ContextMessage[], log: CollapseLog): Drained =>
  commit(messages, log, Infinity);
