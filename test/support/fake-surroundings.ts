import { plainRunOptions } from '../../src/transcript/plain-run-options';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { OutputStream } from '../../src/cli/output/output-stream';
import type { Surroundings } from '../../src/cli/surroundings';

export const RUN_OPTIONS = plainRunOptions('claude-sonnet-4-5', 'default');

/** What a command wrote, as it wrote it. */
export class WrittenText {
  text = '';
  readonly #changes = new EventEmitter();
  readonly stream = new Writable({
    write: (chunk: Buffer, _encoding, written) => {
      this.text += chunk.toString('utf8');
      written();
      this.#changes.emit('change');
    },
  });

  get lines(): readonly Record<string, unknown>[] {
    return this.text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** The message as soon as it is there; the test's own time limit is the deadline. */
  async message(
    is: (message: Record<string, unknown>) => boolean,
  ): Promise<Record<string, unknown>> {
    for (;;) {
      const found = this.lines.find(is);
      if (found) return found;
      await new Promise((resolve) => this.#changes.once('change', resolve));
    }
  }
}

/** A world for one command: its stdin, what it writes, and Ctrl-C. */
export class FakeSurroundings {
  readonly stdin = new PassThrough();
  readonly stdout = new WrittenText();
  readonly stderr = new WrittenText();
  readonly #signals = new EventEmitter();

  pressCtrlC(): void {
    this.#signals.emit('interrupt');
  }

  say(message: unknown): void {
    this.stdin.write(`${JSON.stringify(message)}\n`);
  }

  sayPrompt(content: unknown, more: object = {}): void {
    this.say({ type: 'user', message: { role: 'user', content }, session_id: '', ...more });
  }

  control(requestId: string, request: object): void {
    this.say({ type: 'control_request', request_id: requestId, request });
  }

  of(given: Partial<Surroundings> = {}): Surroundings {
    return {
      stdin: { stream: this.stdin, isTerminal: false },
      stdout: new OutputStream(this.stdout.stream),
      stderr: new OutputStream(this.stderr.stream),
      cwd: '/project',
      version: '1.2.3',
      apiKeySource: 'ANTHROPIC_API_KEY',
      clientReadsState: false,
      newId: () => randomUUID(),
      now: () => '2026-01-02T03:04:05.000Z',
      onInterrupt: (listener) => this.#signals.on('interrupt', listener),
      ...given,
    };
  }
}
