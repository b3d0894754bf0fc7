import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { startScriptedModel, type ScriptedModel } from '../../../src/scripted-model/scripted-model';
import type { Script } from '../../../src/scripted-model/script';
import { temporalAddress } from '../../support/temporal';

const LAUNCHER = join(__dirname, '..', '..', '..', 'bin', 'everloop');

/** A program that drives the command by stream-json. */
export const STREAM_JSON = [
  '-p',
  '--verbose',
  ...['--input-format', 'stream-json', '--output-format', 'stream-json'],
];

export type Line = Readonly<Record<string, unknown>>;

/** Runs `act` with a home folder, a model and the commands that it starts, and ends what is left of them. */
export async function withCommands(
  script: Script,
  act: (world: CommandWorld) => Promise<void>,
): Promise<void> {
  const model = await startScriptedModel({ isStrict: true, ...script });
  const world = new CommandWorld(model);
  try {
    await act(world);
  } finally {
    await world.close();
  }
}

export class CommandWorld {
  readonly home = realpathSync(mkdtempSync(join(tmpdir(), 'everloop-streams-')));
  readonly project = join(this.home, 'project');
  readonly #commands: RunningCommand[] = [];

  constructor(readonly model: ScriptedModel) {
    mkdirSync(this.project);
  }

  /** Starts `everloop ARGS`. `redirection`: as a shell writes it, for streams that are closed from the start. */
  start(args: readonly string[], { redirection = '' } = {}): RunningCommand {
    const { home } = this;
    const child = spawn('/bin/sh', ['-c', `exec "$0" "$@" ${redirection}`, LAUNCHER, ...args], {
      cwd: this.project,
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        EVERLOOP_HOME: home,
        CLAUDE_CONFIG_DIR: join(home, '.claude'),
        TEMPORAL_ADDRESS: temporalAddress(),
        ANTHROPIC_BASE_URL: this.model.url,
        ANTHROPIC_API_KEY: 'test-key',
      },
    });
    const command = new RunningCommand(child);
    this.#commands.push(command);
    return command;
  }

  async close(): Promise<void> {
    for (const command of this.#commands) await command.kill();
    await this.model.close();
    rmSync(this.home, { recursive: true, force: true });
  }
}

/** A command as the program sees it that has started it. */
export class RunningCommand {
  readonly stdin: Writable;
  readonly stdout: Readable;
  /** Exit code; null: a signal ended it. */
  readonly ended: Promise<number | null>;
  /** What came on stdout, each line parsed: a line that is no JSON fails the test. */
  readonly lines: Line[] = [];
  stderr = '';
  readonly #child: ChildProcess;
  readonly #told = new EventEmitter();
  #rest = '';
  #hasEnded = false;

  constructor(child: ChildProcess) {
    if (child.stdin === null || child.stdout === null) throw new Error('No pipes.');
    this.#child = child;
    this.stdin = child.stdin;
    this.stdout = child.stdout;
    // What is left of a prompt when the command has gone.
    this.stdin.on('error', () => undefined);
    this.#told.setMaxListeners(0);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    this.ended = new Promise((resolve) => child.once('close', (code) => resolve(code)));
    void this.ended.then(() => {
      this.#hasEnded = true;
      this.#told.emit('line');
    });
  }

  /** Reads stdout from now on. */
  read(): this {
    this.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${this.#rest}${text}`.split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.lines.push(JSON.parse(line) as Line);
      this.#told.emit('line');
    });
    return this;
  }

  say(message: unknown): void {
    this.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** The n-th line of that type, as soon as it is there. Fails: when the command ends without it. */
  async line(type: string, index = 0): Promise<Line> {
    for (;;) {
      const found = this.lines.filter((line) => line['type'] === type)[index];
      if (found !== undefined) return found;
      if (this.#hasEnded) throw new Error(`The command ended without ${type}: ${this.stderr}`);
      await new Promise((resolve) => this.#told.once('line', resolve));
    }
  }

  get results(): readonly unknown[] {
    return this.lines.filter(({ type }) => type === 'result').map(({ result }) => result);
  }

  /** Resident memory in MB. */
  get memoryMB(): number {
    const status = readFileSync(`/proc/${this.#child.pid ?? 0}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_000;
  }

  async kill(): Promise<void> {
    this.stdout.destroy();
    this.#child.kill('SIGKILL');
    await this.ended;
  }
}

export const promptLine = (content: unknown): Line => ({
  type: 'user',
  message: { role: 'user', content },
  parent_tool_use_id: null,
  session_id: '',
});
