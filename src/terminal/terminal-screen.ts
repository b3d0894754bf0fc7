import { BlockFitter } from './block-fitter';
import type { Completion } from './completion';
import { ConversationView } from './conversation-view';
import { DialogView, type Dialog } from './dialog-view';
import type { ViewOptions } from './item-view';
import type { ScreenModel } from './screen-model';
import type { Theme } from './theme';
import { FRAME_MS } from './tool-view';
import type { Component, EditorTheme, Terminal, TuiLibrary } from './tui-library';

export interface ScreenParts {
  readonly library: TuiLibrary;
  readonly terminal: Terminal;
  readonly theme: Theme;
  readonly screen: () => ScreenModel;
  readonly options: () => ViewOptions;
  /** Above the input; null: none. */
  readonly status: () => string | null;
  /** Below the input. */
  readonly footer: () => string;
  readonly submitted: (text: string) => void;
  /** Nothing is typed any more. */
  readonly emptied: () => void;
  /** true: the key is used up. */
  readonly pressed: (key: string) => boolean;
}

type Tui = InstanceType<TuiLibrary['TUI']>;
type Editor = InstanceType<TuiLibrary['Editor']>;

/** Conversation, status, input or dialog, and a footer, one below the other. */
export class TerminalScreen {
  readonly #parts: ScreenParts;
  readonly #tui: Tui;
  readonly #editor: Editor;
  readonly #fitter: BlockFitter;
  readonly #conversation: ConversationView;
  #input: Component;
  #timer: NodeJS.Timeout | null = null;

  constructor(parts: ScreenParts) {
    const { library, terminal, theme, screen, options } = parts;
    this.#parts = parts;
    this.#tui = new library.TUI(terminal);
    this.#editor = new library.Editor(this.#tui, editorTheme(theme), { autocompleteMaxVisible: 8 });
    this.#fitter = new BlockFitter(library, theme);
    this.#conversation = new ConversationView(screen, options, this.#fitter);
    this.#editor.onSubmit = parts.submitted;
    this.#editor.onChange = (text) => {
      if (text === '') parts.emptied();
    };
    this.#input = this.#editor;
    this.#tui.addInputListener((keys) => {
      if (library.isKeyRelease(keys)) return { consume: true };
      return parts.pressed(library.parseKey(keys) ?? '') ? { consume: true } : undefined;
    });
  }

  start(): void {
    const { status, footer } = this.#parts;
    this.#tui.addChild(this.#conversation);
    this.#tui.addChild(this.#oneLine(() => ['', status() ?? '']));
    this.#tui.addChild({
      render: (width) => this.#input.render(width),
      invalidate: () => this.#input.invalidate(),
    });
    this.#tui.addChild(this.#oneLine(() => [footer()]));
    this.#tui.setFocus(this.#editor);
    this.#tui.start();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#tui.stop();
  }

  /** Something else is to be seen. While something runs, the picture moves by itself. */
  changed({ isMoving }: { readonly isMoving: boolean }): void {
    if (isMoving && this.#timer === null) {
      this.#timer = setInterval(() => this.#tui.requestRender(), FRAME_MS);
    } else if (!isMoving && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
    this.#tui.requestRender();
  }

  /** How items are drawn has changed. */
  redraw(): void {
    this.#conversation.invalidate();
    this.#tui.requestRender();
  }

  /** null: the input has the keys again. */
  ask(dialog: Dialog | null): void {
    const { theme, library } = this.#parts;
    this.#input =
      dialog === null ? this.#editor : new DialogView(dialog, theme, this.#fitter, library);
    this.#tui.setFocus(this.#input);
    this.#tui.requestRender();
  }

  get isAsking(): boolean {
    return this.#input !== this.#editor;
  }

  get isCompleting(): boolean {
    return this.#editor.isShowingAutocomplete();
  }

  get isInputEmpty(): boolean {
    return this.#editor.getText() === '';
  }

  clearInput(): void {
    this.#editor.setText('');
  }

  complete(completion: Completion): void {
    this.#editor.setAutocompleteProvider(completion);
  }

  /** What the arrow keys bring back, newest last. */
  remember(texts: readonly string[]): void {
    for (const text of texts) this.#editor.addToHistory(text);
  }

  #oneLine(texts: () => readonly string[]): Component {
    const { truncateToWidth } = this.#parts.library;
    return {
      render: (width) => texts().map((text) => truncateToWidth(text, width, '…')),
      invalidate: () => undefined,
    };
  }
}

function editorTheme(theme: Theme): EditorTheme {
  return {
    borderColor: theme.dim,
    selectList: {
      selectedPrefix: theme.accent,
      selectedText: theme.accent,
      description: theme.dim,
      scrollInfo: theme.dim,
      noMatch: theme.dim,
    },
  };
}
