import type { Block } from './block';
import type { Theme } from './theme';
import type { MarkdownTheme, TuiLibrary } from './tui-library';

/** Fits blocks to a width. A line that is too long would break the library's picture of the screen. */
export class BlockFitter {
  readonly #tui: TuiLibrary;
  readonly #markdown: MarkdownTheme;
  readonly #dim: Theme['dim'];

  constructor(tui: TuiLibrary, theme: Theme) {
    this.#tui = tui;
    this.#markdown = markdownTheme(theme);
    this.#dim = theme.dim;
  }

  fit(blocks: readonly Block[], width: number): readonly string[] {
    return blocks.flatMap((block) => this.#fit(block, Math.max(1, width)));
  }

  #fit(block: Block, width: number): readonly string[] {
    if (block.type === 'markdown') return this.#fitMarkdown(block, width);
    const { truncateToWidth, wrapTextWithAnsi } = this.#tui;
    return block.lines.flatMap((line) =>
      block.wraps ? wrapTextWithAnsi(line, width) : [truncateToWidth(line, width, '…')],
    );
  }

  #fitMarkdown(
    { text, first, isDim }: Extract<Block, { type: 'markdown' }>,
    width: number,
  ): readonly string[] {
    const { Markdown, visibleWidth, truncateToWidth } = this.#tui;
    const indent = ' '.repeat(visibleWidth(first));
    const style = isDim ? { color: this.#dim, italic: true } : undefined;
    const room = Math.max(1, width - indent.length);
    const lines = new Markdown(text, 0, 0, this.#markdown, style).render(room);
    return lines.map((line, index) =>
      truncateToWidth(`${index === 0 ? first : indent}${line.trimEnd()}`, width, '…'),
    );
  }
}

function markdownTheme(theme: Theme): MarkdownTheme {
  return {
    heading: (text) => theme.bold(theme.accent(text)),
    link: theme.underline,
    linkUrl: theme.dim,
    code: theme.code,
    codeBlock: theme.code,
    codeBlockBorder: theme.dim,
    quote: theme.italic,
    quoteBorder: theme.dim,
    hr: theme.dim,
    listBullet: theme.accent,
    bold: theme.bold,
    italic: theme.italic,
    strikethrough: theme.strikethrough,
    underline: theme.underline,
  };
}
