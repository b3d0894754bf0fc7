import type { BlockFitter } from './block-fitter';
import type { Block } from './block';
import { choiceView, press, type ChoiceList } from './choice-list';
import type { Theme } from './theme';
import type { Component, TuiLibrary } from './tui-library';

export interface Dialog {
  /** Above the choices. */
  readonly view: () => readonly Block[];
  readonly list: ChoiceList;
  readonly chosen: (places: readonly number[], text: string) => void;
  readonly cancelled: () => void;
}

/** A list to choose from, in the place of the input. */
export class DialogView implements Component {
  #list: ChoiceList;

  constructor(
    private readonly dialog: Dialog,
    private readonly theme: Theme,
    private readonly fitter: BlockFitter,
    private readonly tui: Pick<TuiLibrary, 'parseKey'>,
  ) {
    this.#list = dialog.list;
  }

  invalidate(): void {
    return undefined;
  }

  render(width: number): string[] {
    const blocks = [...this.dialog.view(), ...choiceView(this.#list, this.theme)];
    return ['', ...this.fitter.fit(blocks, width)];
  }

  handleInput(keys: string): void {
    const pressed = press(this.#list, this.tui.parseKey(keys) ?? '', typedText(keys));
    switch (pressed.type) {
      case 'list':
        this.#list = pressed.list;
        return;
      case 'chosen':
        this.dialog.chosen(pressed.places, pressed.text);
        return;
      case 'cancelled':
        this.dialog.cancelled();
    }
  }
}

/** What keys type, pasted or pressed; '' for those that type nothing. */
function typedText(keys: string): string {
  const text = keys.replace(/\x1b\[20[01]~/g, '').replace(/\s+/g, ' ');
  return /[\x00-\x1f\x7f]/.test(text) ? '' : text;
}
