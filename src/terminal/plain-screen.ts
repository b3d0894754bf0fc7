import type { Block } from './block';
import type { Choice, ChoiceList } from './choice-list';
import { choiceView } from './choice-list';
import type { Dialog } from './dialog-view';
import { itemView } from './item-view';
import type { ScreenItem } from './screen-item';
import { createTheme } from './theme';

const THEME = createTheme('plain');

/** Lines for a terminal that can do nothing but print, item by item as each is finished. */
export class PlainScreen {
  #printed = 0;
  /** Prompts that were typed here stand there already. */
  readonly #typed: string[] = [];

  typed(text: string): void {
    this.#typed.push(text);
  }

  /** Another session: nothing of it is printed yet. */
  begin(): void {
    this.#printed = 0;
    this.#typed.length = 0;
  }

  /** What is finished and not printed, in the order of the screen. */
  next(items: readonly ScreenItem[]): string {
    const lines: string[] = [];
    for (; this.#printed < items.length; this.#printed += 1) {
      const item = items[this.#printed];
      if (item === undefined || !isFinished(item)) break;
      if (item.type === 'prompt' && this.#isTyped(item.text)) continue;
      const blocks = itemView(item, { theme: THEME, isExpanded: false, nowMs: 0 });
      lines.push('', ...toLines(blocks));
    }
    return toText(lines);
  }

  #isTyped(text: string): boolean {
    const index = this.#typed.indexOf(text);
    if (index === -1) return false;
    this.#typed.splice(0, index + 1);
    return true;
  }
}

/** What will not change any more: it cannot be taken back once it is printed. */
function isFinished(item: ScreenItem): boolean {
  if ('stream' in item) return false;
  return item.type !== 'tool' || (item.state !== 'asked' && item.state !== 'running');
}

/** A question with its choices, to be answered with a line. */
export function askedText({ view, list }: Dialog): string {
  const choices = choiceView({ ...list, selected: -1 }, THEME);
  const rows = choices.flatMap((block) => (block.type === 'lines' ? block.lines.slice(0, -1) : []));
  return toText([
    '',
    ...toLines(view()),
    ...rows,
    '  Type a number, and what is asked for behind it.',
  ]);
}

/** null: the line chooses nothing. */
export function chosenBy(
  line: string,
  { choices, marked }: ChoiceList,
): { readonly places: readonly number[]; readonly text: string } | null {
  const groups = /^\s*(?<numbers>\d+(?:\s*,\s*\d+)*)(?<text>(?:\s[^]*)?)$/.exec(line)?.groups;
  if (groups === undefined) return null;
  const places = (groups['numbers'] ?? '').split(',').map((number) => Number(number) - 1);
  if (places.length > 1 && marked === null) return null;
  const chosen = places.map((place): Choice | undefined => choices[place]);
  if (chosen.includes(undefined)) return null;
  const wantsText = chosen.some((choice) => choice?.asksFor !== undefined);
  return { places, text: wantsText ? (groups['text'] ?? '').trim() : '' };
}

const toLines = (blocks: readonly Block[]): readonly string[] =>
  blocks.flatMap((block) =>
    block.type === 'lines' ? block.lines : `${block.first}${block.text}`.split('\n'),
  );

const toText = (lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${lines.join('\n')}\n`;
