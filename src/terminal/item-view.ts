import { lines, printable, wrapped, type Block } from './block';
import type { LiveBlock, ScreenItem } from './screen-item';
import type { Theme } from './theme';
import { toolView } from './tool-view';

export interface ViewOptions {
  readonly theme: Theme;
  /** Output of tools is shown whole. */
  readonly isExpanded: boolean;
  /** For what runs: ms since the epoch. */
  readonly nowMs: number;
}

/** An item as blocks; an empty line above it is the caller's. */
export function itemView(item: ScreenItem, options: ViewOptions): readonly Block[] {
  const { theme } = options;
  switch (item.type) {
    case 'prompt':
      return [
        wrapped(
          ...printable(item.text)
            .split('\n')
            .map((line) => theme.bold(`> ${line}`)),
        ),
      ];
    case 'text':
      return [
        {
          type: 'markdown',
          text: printable(item.text),
          first: `${theme.accent('●')} `,
          isDim: false,
        },
      ];
    case 'thinking':
      return [
        {
          type: 'markdown',
          text: printable(item.text).trim(),
          first: theme.dim('✻ '),
          isDim: true,
        },
      ];
    case 'tool':
      return toolView(item, options);
    case 'notice': {
      const paint = { info: theme.dim, warning: theme.warning, error: theme.bad }[item.level];
      return [
        wrapped(
          ...printable(item.text)
            .split('\n')
            .map((line) => paint(`  ${line}`)),
        ),
      ];
    }
  }
}

/** The block that still grows. */
export function liveView(live: LiveBlock, options: ViewOptions): readonly Block[] {
  if (live.type !== 'tool_use') return itemView({ type: live.type, text: live.text }, options);
  return [lines(options.theme.dim(`○ ${live.text} …`))];
}
