import type { SessionChoice } from '../cli/command';
import { messageOf } from '../cli/cli-error';
import type { ListedSession } from '../cli/list';
import type { PermissionMode } from '../loop/state';
import { resolveModel } from '../settings/model-alias';
import type { RunOptions } from '../transcript/message';
import type { Completion } from './completion';
import { CurrentSession, type CurrentSessionDeps } from './current-session';
import type { Left } from './farewell';
import type { ViewOptions } from './item-view';
import { keyAction, type KeyAction } from './key-action';
import { openDialog } from './open-dialog';
import type { PromptHistory } from './prompt-history';
import { contextLine, costText, footerLine, statusLine } from './status-view';
import { TerminalScreen, type ScreenParts } from './terminal-screen';
import { sessionPicker } from './session-picker';
import type { TerminalSession } from './terminal-session';
import { HELP, readTypedLine, type TerminalCommand } from './typed-line';

export interface AppDeps
  extends Omit<CurrentSessionDeps, 'changed'>, Pick<ScreenParts, 'library' | 'terminal' | 'theme'> {
  readonly run: RunOptions;
  readonly history: PromptHistory;
  readonly completion: Completion;
  /** Who answers questions, for the record. */
  readonly by: string;
  readonly sessions: () => Promise<readonly ListedSession[]>;
}

/** How long the second Ctrl-C is waited for. */
const WARNED_MS = 2_000;
const MODES: readonly PermissionMode[] = ['default', 'acceptEdits', 'plan'];

/** The interactive terminal: keys and lines in, a session behind the screen. */
export class TerminalApp {
  readonly #deps: AppDeps;
  readonly #screen: TerminalScreen;
  readonly #current: CurrentSession;
  #run: RunOptions;
  #isExpanded = false;
  #warnedAtMs = 0;
  /** Record of the call that the dialog is about; null: it is about none. */
  #asked: string | null = null;

  constructor(choice: SessionChoice, deps: AppDeps) {
    this.#deps = deps;
    this.#run = deps.run;
    this.#current = new CurrentSession(choice, { ...deps, changed: () => this.#changed() });
    const { library, terminal, theme } = deps;
    this.#screen = new TerminalScreen({
      library,
      terminal,
      theme,
      screen: () => this.#session.screen,
      options: () => this.#options(),
      status: () =>
        statusLine(this.#session.screen, {
          theme,
          nowMs: Date.now(),
          isAsking: this.#screen.isAsking,
        }),
      footer: () => this.#footer(),
      submitted: (text) => void this.#submitted(text),
      emptied: () => this.#changed(),
      pressed: (key) => this.#pressed(key),
    });
  }

  /** Resolves when the user has left. */
  get left(): Promise<Left> {
    return this.#current.left;
  }

  async start(prompt: string | null): Promise<void> {
    this.#screen.complete(this.#deps.completion);
    // Before the first key can come.
    this.#screen.remember(await this.#deps.history.recall());
    this.#screen.start();
    await this.#session.reopen();
    if (prompt !== null) await this.#submitted(prompt);
  }

  stop(): void {
    this.#screen.stop();
  }

  /** A line for people. */
  tell(line: string): void {
    this.#session.screen.notice(line, 'warning');
    this.#changed();
  }

  get #session(): TerminalSession {
    return this.#current.session;
  }

  #options(): ViewOptions {
    return { theme: this.#deps.theme, isExpanded: this.#isExpanded, nowMs: Date.now() };
  }

  #footer(): string {
    const { model, permissionMode } = this.#run;
    const { theme } = this.#deps;
    if (this.#current.isLeaving) return theme.dim('  Leaving …');
    if (this.#isWarned) return theme.warning('  Ctrl-C again leaves.');
    const { sessionId } = this.#session;
    return footerLine(this.#session.screen, { model, permissionMode, sessionId }, theme);
  }

  get #isWarned(): boolean {
    return Date.now() - this.#warnedAtMs < WARNED_MS;
  }

  #changed(): void {
    this.#askNext();
    this.#screen.changed({ isMoving: this.#session.isBusy });
  }

  /** The oldest question has the screen; one that somebody else has answered leaves it. */
  #askNext(): void {
    const [waiting] = this.#session.screen.questions;
    const recordId = waiting?.question.call.recordId ?? null;
    if (recordId === this.#asked) return;
    // A key that was meant for the input must not answer.
    if (recordId !== null && !this.#screen.isInputEmpty) return;
    this.#asked = recordId;
    if (waiting === undefined) {
      this.#screen.ask(null);
      return;
    }
    const session = this.#session;
    this.#screen.ask(
      openDialog(waiting, {
        by: this.#deps.by,
        options: () => this.#options(),
        answer: (answer) => void session.answer(waiting, answer),
        next: (dialog) => this.#screen.ask(dialog),
      }),
    );
  }

  #pressed(key: string): boolean {
    const action = keyAction(key, {
      isWorking: this.#session.isBusy,
      isInputEmpty: this.#screen.isInputEmpty,
      isCompleting: this.#screen.isCompleting,
      isAsking: this.#screen.isAsking,
      isWarned: this.#isWarned,
    });
    if (action === null) return false;
    this.#act(action);
    return true;
  }

  #act(action: KeyAction): void {
    switch (action) {
      case 'interrupt':
        void this.#session.interrupt();
        return;
      case 'interrupt_and_warn':
        void this.#session.interrupt();
        this.#warn();
        return;
      case 'warn':
        this.#warn();
        return;
      case 'clear_input':
        this.#screen.clearInput();
        this.#changed();
        return;
      case 'leave':
        void this.#current.end();
        return;
      case 'detach':
        void this.#current.detach();
        return;
      case 'expand':
        this.#isExpanded = !this.#isExpanded;
        this.#screen.redraw();
        return;
      case 'next_mode': {
        const next = MODES[(MODES.indexOf(this.#run.permissionMode) + 1) % MODES.length];
        this.#run = { ...this.#run, permissionMode: next ?? 'default' };
        this.#changed();
      }
    }
  }

  #warn(): void {
    this.#warnedAtMs = Date.now();
    this.#changed();
    setTimeout(() => this.#changed(), WARNED_MS).unref();
  }

  async #submitted(text: string): Promise<void> {
    const line = readTypedLine(text);
    if (line.type === 'nothing' || this.#current.isLeaving) return;
    this.#screen.remember([text.trim()]);
    await this.#deps.history.add(text.trim());
    if (line.type === 'prompt') await this.#session.submit(line.text, this.#run);
    else await this.#command(line.name, line.argument);
  }

  async #command(name: TerminalCommand, argument: string): Promise<void> {
    const { screen } = this.#session;
    const { theme } = this.#deps;
    switch (name) {
      case 'help':
        screen.notice(HELP);
        break;
      case 'cost':
        screen.notice(costText(screen));
        break;
      case 'context':
        screen.notice(contextLine(screen, this.#run.model, theme));
        break;
      case 'model':
        if (argument !== '') this.#run = { ...this.#run, model: resolveModel(argument) };
        screen.notice(`Model of what you ask next: ${this.#run.model}`);
        break;
      case 'sessions':
        await this.#chooseSession().catch((error: unknown) => this.tell(messageOf(error)));
        return;
      case 'clear':
        await this.#switchTo({ type: 'new', sessionId: null });
        return;
      case 'detach':
        await this.#current.detach();
        return;
      case 'exit':
      case 'quit':
        await this.#current.end();
        return;
    }
    this.#changed();
  }

  async #chooseSession(): Promise<void> {
    const { cwd, theme, sessions } = this.#deps;
    const close = (): void => this.#screen.ask(null);
    const dialog = sessionPicker(await sessions(), {
      cwd,
      theme,
      current: this.#session.sessionId,
      chosen: (sessionId) => {
        close();
        void this.#switchTo({ type: 'resume', sessionId });
      },
      cancelled: close,
    });
    if (dialog === null) this.tell('There are no sessions of this folder yet.');
    else this.#screen.ask(dialog);
  }

  async #switchTo(choice: SessionChoice): Promise<void> {
    this.#asked = null;
    this.#screen.ask(null);
    await this.#current.switchTo(choice);
  }
}
