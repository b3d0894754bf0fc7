import { createInterface, type Interface } from 'node:readline';
import type { InteractiveCommand } from '../cli/command';
import { farewell } from './farewell';
import type { InteractiveDeps } from './interactive';
import { openDialog } from './open-dialog';
import { askedText, chosenBy, PlainScreen } from './plain-screen';
import { contextLine, costText } from './status-view';
import { createTheme } from './theme';
import { TerminalSession } from './terminal-session';
import { HELP, readTypedLine } from './typed-line';
import type { Dialog } from './dialog-view';

const PROMPT = '> ';
const THEME = createTheme('plain');

/** The interactive command at a terminal that moves no cursor: lines in, lines out. Returns the exit code. */
export async function plainTerminal(
  command: InteractiveCommand,
  deps: InteractiveDeps,
): Promise<number> {
  const input = createInterface({ input: deps.input, terminal: false });
  const terminal = new PlainTerminal(command, deps, input);
  deps.onTell((line) => terminal.tell(line));
  for (const warning of command.warnings) terminal.tell(warning);
  void terminal.start(command.prompt);
  const left = await terminal.left;
  input.close();
  await deps.stdout.write(farewell(left));
  return 0;
}

class PlainTerminal {
  readonly left: Promise<{ readonly sessionId: string | null; readonly detached: boolean }>;
  readonly #deps: InteractiveDeps;
  readonly #screen = new PlainScreen();
  readonly #session: TerminalSession;
  #dialog: Dialog | null = null;
  #asked: string | null = null;
  #wasBusy = false;
  #leave: (detached: boolean) => void = () => undefined;

  constructor(command: InteractiveCommand, deps: InteractiveDeps, input: Interface) {
    const { session, persistent } = command;
    this.#deps = deps;
    this.#session = new TerminalSession(session, {
      ...deps,
      persistent,
      changed: () => this.#changed(),
    });
    this.left = new Promise((resolve) => {
      this.#leave = (detached) => resolve({ sessionId: this.#session.sessionId, detached });
    });
    input.on('line', (line) => void this.#line(line));
    input.on('close', () => void this.#end());
    let interrupts = 0;
    deps.onInterrupt(() => {
      interrupts += 1;
      if (interrupts === 1 && this.#session.isBusy) void this.#session.interrupt();
      else void this.#end();
      setTimeout(() => (interrupts = 0), 2_000).unref();
    });
  }

  async start(prompt: string | null): Promise<void> {
    await this.#session.reopen();
    this.#print(PROMPT);
    if (prompt !== null) await this.#line(prompt);
  }

  tell(line: string): void {
    this.#print(`${line}\n`);
  }

  #print(text: string): void {
    if (text !== '') void this.#deps.stdout.write(text);
  }

  #changed(): void {
    const { screen, isBusy } = this.#session;
    this.#print(this.#screen.next(screen.items));
    this.#askNext();
    if (this.#wasBusy && !isBusy) this.#print(`\n${PROMPT}`);
    this.#wasBusy = isBusy;
  }

  #askNext(): void {
    const [waiting] = this.#session.screen.questions;
    const recordId = waiting?.question.call.recordId ?? null;
    if (recordId === this.#asked) return;
    this.#asked = recordId;
    this.#dialog = null;
    if (waiting === undefined) return;
    this.#ask(
      openDialog(waiting, {
        by: this.#deps.by,
        options: () => ({ theme: THEME, isExpanded: true, nowMs: Date.now() }),
        answer: (answer) => void this.#session.answer(waiting, answer),
        next: (dialog) => this.#ask(dialog),
      }),
    );
  }

  #ask(dialog: Dialog): void {
    this.#dialog = dialog;
    this.#print(askedText(dialog));
  }

  async #line(text: string): Promise<void> {
    if (this.#dialog !== null) {
      const chosen = chosenBy(text, this.#dialog.list);
      if (chosen === null) this.#print(askedText(this.#dialog));
      else this.#dialog.chosen(chosen.places, chosen.text);
      return;
    }
    const line = readTypedLine(text);
    if (line.type === 'nothing') {
      this.#print(PROMPT);
    } else if (line.type === 'prompt') {
      this.#screen.typed(line.text);
      await this.#session.submit(line.text, this.#deps.run);
    } else {
      await this.#command(line.name);
    }
  }

  async #command(name: string): Promise<void> {
    const { screen } = this.#session;
    if (name === 'exit' || name === 'quit') {
      await this.#end();
      return;
    }
    if (name === 'detach') {
      await this.#deps.ensureBackground();
      await this.#session.detach();
      this.#leave(true);
      return;
    }
    const answers: Readonly<Record<string, () => string>> = {
      help: () => HELP,
      cost: () => costText(screen),
      context: () => contextLine(screen, this.#deps.run.model, THEME),
      model: () => this.#deps.run.model,
    };
    const answer = answers[name]?.() ?? `/${name} needs a terminal that moves its cursor.`;
    this.#print(`${answer}\n${PROMPT}`);
  }

  async #end(): Promise<void> {
    if (this.#session.isBusy) await this.#session.interrupt();
    await this.#session.leave().catch((error: unknown) => this.tell(String(error)));
    this.#leave(false);
  }
}
