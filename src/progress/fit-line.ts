import { cutEnd } from './fit';
import type { Shown } from './status-line';
import type { WidthOf } from './text-width';

const BETWEEN = ' · ';
const NARROWEST_BODY = 12;

/** One line of so many columns at most: the body gives way first, then the tail. */
export function fitLine(
  { head, body, tail }: Pick<Shown, 'head' | 'body' | 'tail'>,
  columns: number,
  widthOf: WidthOf,
): string {
  const join = (...parts: readonly string[]): string =>
    parts.filter((part) => part !== '').join(BETWEEN);
  const around = widthOf(join(head, tail)) + (head === '' && tail === '' ? 0 : BETWEEN.length);
  const left = columns - around;
  if (widthOf(body) <= left || left >= NARROWEST_BODY) {
    return cutEnd(join(head, cutEnd(body, left, widthOf), tail), columns, widthOf);
  }
  return cutEnd(join(head, body), columns, widthOf);
}
