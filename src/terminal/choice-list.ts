import { printable, wrapped, type Block } from './block';
import type { Theme } from './theme';

export interface Choice {
  readonly label: string;
  readonly description?: string;
  /** Text is asked for when it is chosen: what to type. */
  readonly asksFor?: string;
}

/** A list to choose from with the keys. Immutable. */
export interface ChoiceList {
  readonly choices: readonly Choice[];
  readonly selected: number;
  /** Places of those that are chosen already; null: only one may be chosen. */
  readonly marked: readonly number[] | null;
  /** The text that is being typed for the selected one; null: none is. */
  readonly typed: string | null;
}

export type Pressed =
  | { readonly type: 'list'; readonly list: ChoiceList }
  /** `text`: '' where none was asked for. */
  | { readonly type: 'chosen'; readonly places: readonly number[]; readonly text: string }
  | { readonly type: 'cancelled' };

export function choiceList(choices: readonly Choice[], { isMultiple = false } = {}): ChoiceList {
  return { choices, selected: 0, marked: isMultiple ? [] : null, typed: null };
}

/** What a key does. `key`: its name ("up", "enter", "a"); `text`: what it types, '' for none. */
export function press(list: ChoiceList, key: string, text: string): Pressed {
  if (list.typed !== null) return type({ ...list, typed: list.typed }, key, text);
  const { choices, selected, marked } = list;
  switch (key) {
    case 'escape':
      return { type: 'cancelled' };
    case 'up':
      return moved(list, selected - 1);
    case 'down':
    case 'tab':
      return moved(list, selected + 1);
    case 'space':
      return marked === null ? choose(list, selected) : { type: 'list', list: toggled(list) };
    case 'enter':
      return choose(list, selected);
    default: {
      const place = Number(text) - 1;
      if (text === '' || !Number.isInteger(place) || place < 0 || place >= choices.length)
        return { type: 'list', list };
      if (marked !== null) return { type: 'list', list: toggled({ ...list, selected: place }) };
      return choose({ ...list, selected: place }, place);
    }
  }
}

function moved(list: ChoiceList, to: number): Pressed {
  const { length } = list.choices;
  return { type: 'list', list: { ...list, selected: (to + length) % length } };
}

function toggled(list: ChoiceList): ChoiceList {
  const marked = list.marked ?? [];
  const { selected } = list;
  return {
    ...list,
    marked: marked.includes(selected)
      ? marked.filter((place) => place !== selected)
      : [...marked, selected],
  };
}

function choose(list: ChoiceList, place: number): Pressed {
  if (list.choices[place]?.asksFor !== undefined) {
    return { type: 'list', list: { ...list, typed: '' } };
  }
  const { marked } = list;
  const places =
    marked === null || marked.length === 0 ? [place] : [...marked].sort((a, b) => a - b);
  return { type: 'chosen', places, text: '' };
}

function type(list: ChoiceList & { readonly typed: string }, key: string, text: string): Pressed {
  switch (key) {
    case 'escape':
      return { type: 'list', list: { ...list, typed: null } };
    case 'enter': {
      const places = [...new Set([...(list.marked ?? []), list.selected])];
      return { type: 'chosen', places, text: list.typed.trim() };
    }
    case 'backspace':
      return { type: 'list', list: { ...list, typed: withoutLast(list.typed) } };
    default:
      return { type: 'list', list: { ...list, typed: list.typed + text } };
  }
}

export function choiceView(list: ChoiceList, theme: Theme): readonly Block[] {
  const rows = list.choices.map((choice, index) => {
    const isSelected = index === list.selected;
    const box = list.marked === null ? '' : list.marked.includes(index) ? '[x] ' : '[ ] ';
    const label = printable(`${isSelected ? '❯' : ' '} ${index + 1}. ${box}${choice.label}`);
    const description =
      choice.description === undefined ? '' : theme.dim(`  ${printable(choice.description)}`);
    return `  ${isSelected ? theme.accent(label) : label}${description}`;
  });
  const selected = list.choices[list.selected];
  if (list.typed === null) {
    const keys = list.marked === null ? 'Enter chooses' : 'Space marks, Enter goes on';
    return [wrapped(...rows, theme.dim(`  ${keys} · Esc cancels`))];
  }
  const input = `  ${selected?.asksFor ?? ''}: ${printable(list.typed)}▏`;
  return [wrapped(...rows, '', input, theme.dim('  Enter sends · Esc goes back'))];
}

const GRAPHEMES = new Intl.Segmenter();

function withoutLast(text: string): string {
  const last = Array.from(GRAPHEMES.segment(text)).at(-1);
  return text.slice(0, last?.index ?? 0);
}
