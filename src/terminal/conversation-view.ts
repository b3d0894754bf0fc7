import type { BlockFitter } from './block-fitter';
import { lines } from './block';
import { itemView, liveView, type ViewOptions } from './item-view';
import type { ScreenItem } from './screen-item';
import type { ScreenModel } from './screen-model';
import type { Component } from './tui-library';

interface Drawn {
  readonly width: number;
  readonly lines: readonly string[];
}

/** The conversation from top to bottom. Items never change, so each is drawn once per width. */
export class ConversationView implements Component {
  #drawn = new WeakMap<ScreenItem, Drawn>();

  constructor(
    private readonly screen: () => ScreenModel,
    private readonly options: () => ViewOptions,
    private readonly fitter: BlockFitter,
  ) {}

  invalidate(): void {
    this.#drawn = new WeakMap();
  }

  render(width: number): string[] {
    const { items, live, waiting } = this.screen();
    const options = this.options();
    const drawn = items.flatMap((item) => this.#draw(item, width, options));
    const growing = live === null ? [] : ['', ...this.fitter.fit(liveView(live, options), width)];
    const queued = waiting.map(({ text, isAccepted }) =>
      options.theme.dim(`> ${text.replace(/\s+/g, ' ')} (${isAccepted ? 'sent' : 'sending'})`),
    );
    const below = queued.length === 0 ? [] : ['', ...this.fitter.fit([lines(...queued)], width)];
    return [...drawn, ...growing, ...below];
  }

  #draw(item: ScreenItem, width: number, options: ViewOptions): readonly string[] {
    const known = this.#drawn.get(item);
    if (known?.width === width) return known.lines;
    const fresh = ['', ...this.fitter.fit(itemView(item, options), width)];
    const isMoving = item.type === 'tool' && item.state === 'running';
    if (!isMoving) this.#drawn.set(item, { width, lines: fresh });
    return fresh;
  }
}
