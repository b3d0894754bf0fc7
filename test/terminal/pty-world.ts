import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn, type IPty } from '@lydell/node-pty';
import { Terminal } from '@xterm/headless';
import { startScriptedModel, type ScriptedModel } from '../../src/scripted-model/scripted-model';
import type { Script } from '../../src/scripted-model/script';
import { temporalAddress } from '../support/temporal';

export const LAUNCHER = join(__dirname, '..', '..', 'bin', 'everloop');
const DEADLINE_MS = 90_000;
/** What a command wrote may be read after its end. */
const LAST_WORDS_MS = 5_000;

/** Runs `act` with a home folder, a model and the terminals that it opens, and ends what is left of them. */
export async function withTerminals(
  script: Script,
  act: (world: PtyWorld) => Promise<void>,
): Promise<void> {
  const model = await startScriptedModel({ isStrict: true, ...script });
  const world = new PtyWorld(model);
  try {
    await act(world);
  } finally {
    await world.close();
  }
}

export class PtyWorld {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-terminal-')));
  readonly project = join(this.home, 'project');
  readonly #terminals: PtyTerminal[] = [];

  constructor(readonly model: ScriptedModel) {
    mkdirSync(this.project);
  }

  /** Of every process of everloop. */
  get environment(): Readonly<Record<string, string | undefined>> {
    return {
      PATH: process.env['PATH'],
      HOME: this.home,
      EVERLOOP_HOME: this.home,
      CLAUDE_CONFIG_DIR: join(this.home, '.claude'),
      TEMPORAL_ADDRESS: temporalAddress(),
      ANTHROPIC_BASE_URL: this.model.url,
      ANTHROPIC_API_KEY: 'test-key',
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
    };
  }

  /** `everloop ARGS` at a terminal of its own. */
  open(
    args: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
  ): PtyTerminal {
    const terminal = new PtyTerminal(args, this.project, { ...this.environment, ...environment });
    this.#terminals.push(terminal);
    return terminal;
  }

  async close(): Promise<void> {
    for (const terminal of this.#terminals) await terminal.kill();
    for (const pid of this.#backgroundPids()) endProcess(pid);
    await this.model.close();
    rmSync(this.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  /** A terminal that is left in mid-work starts a background Worker. */
  #backgroundPids(): readonly number[] {
    const folder = join(this.home, 'background');
    try {
      return readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as { pid?: number })
        .flatMap(({ pid }) => (pid === undefined ? [] : [pid]));
    } catch {
      return [];
    }
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

/** A command in a real pty, and what its screen shows. */
export class PtyTerminal {
  /** Exit code. */
  readonly ended: Promise<number>;
  /** Every byte that came. */
  raw = '';
  readonly #pty: IPty;
  readonly #screen = new Terminal({
    cols: 100,
    rows: 40,
    scrollback: 5_000,
    allowProposedApi: true,
  });
  readonly #told = new EventEmitter().setMaxListeners(0);
  #endedAtMs = Infinity;

  constructor(args: readonly string[], cwd: string, env: Record<string, string | undefined>) {
    this.#pty = spawn(LAUNCHER, [...args], { cols: 100, rows: 40, cwd, env });
    this.#pty.onData((data) => {
      this.raw += data;
      this.#screen.write(data, () => this.#told.emit('change'));
    });
    this.ended = new Promise((resolve) => this.#pty.onExit(({ exitCode }) => resolve(exitCode)));
    void this.ended.then(() => {
      this.#endedAtMs = Date.now();
      this.#told.emit('change');
    });
  }

  /** All lines, also those that have left at the top, without what is blank behind them. */
  get text(): string {
    const { active } = this.#screen.buffer;
    const lines: string[] = [];
    for (let index = 0; index < active.length; index += 1) {
      lines.push(active.getLine(index)?.translateToString(true) ?? '');
    }
    return lines.join('\n').trimEnd();
  }

  /** The attributes of the first cell that shows the text. */
  styleOf(text: string): { readonly isDim: boolean; readonly colour: number | null } {
    const { active } = this.#screen.buffer;
    for (let row = 0; row < active.length; row += 1) {
      const line = active.getLine(row);
      const column = line?.translateToString(true).indexOf(text) ?? -1;
      const cell = column < 0 ? undefined : line?.getCell(column);
      if (cell === undefined) continue;
      return { isDim: cell.isDim() !== 0, colour: cell.isFgDefault() ? null : cell.getFgColor() };
    }
    throw new Error(`The screen does not show "${text}":\n${this.text}`);
  }

  /** Resolves when the screen shows it. Fails: Error with the screen, when it does not in time. */
  shows(wanted: string | RegExp): Promise<void> {
    return this.until(`show ${String(wanted)}`, (text) =>
      typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text),
    );
  }

  /** Resolves when the screen shows it no longer. */
  loses(unwanted: string): Promise<void> {
    return this.until(`lose ${unwanted}`, (text) => !text.includes(unwanted));
  }

  press(keys: string): void {
    this.#pty.write(keys);
  }

  /** Types the text as a person would, then Enter. */
  async say(text: string): Promise<void> {
    await this.shows(READY);
    this.press(text);
    await this.shows(text.slice(0, 40));
    this.press(ENTER);
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  async kill(): Promise<void> {
    if (this.#endedAtMs === Infinity) this.#pty.kill('SIGKILL');
    await this.ended;
  }

  /** Resolves when it is so of the text. */
  async until(what: string, isSo: (text: string) => boolean): Promise<void> {
    const deadline = Date.now() + DEADLINE_MS;
    while (!isSo(this.text)) {
      if (Date.now() > Math.min(deadline, this.#endedAtMs + LAST_WORDS_MS)) {
        throw new Error(`The terminal did not ${what}. It showed:\n${this.text}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 500);
        this.#told.once('change', () => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }
}

/** The line below the input, or the prompt of a terminal that has none. */
const READY = /\/help|^>/m;

export const ENTER = '\r';
export const ESC = '\x1b';
export const UP = '\x1b[A';
export const DOWN = '\x1b[B';
export const CTRL_B = '\x02';
export const CTRL_C = '\x03';
