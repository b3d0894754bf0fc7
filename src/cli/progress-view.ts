import type { StatusLine } from '../progress/status-line';
import type { LogEntry } from '../transcript/session-log';
import type { SessionConnection } from './session-connection';
import { SessionProgress } from './session-progress';

export interface ProgressViewParts {
  /** Called once, when there is something to show. */
  readonly openLine: () => Promise<StatusLine>;
  readonly connection: Pick<SessionConnection, 'sessionId' | 'standing'>;
}

const TICK_MS = 1_000;
/** An entry is shown at once, unless the one before was shown just now: the past of a session comes all at a time. */
const DRAW_EVERY_MS = 250;
/** Asking costs the Worker some milliseconds each time. */
const LOOK_EVERY_MS = 3_000;

/** Shows on a status line what a session does, until it is closed. */
export class ProgressView {
  readonly #parts: ProgressViewParts;
  readonly #progress: SessionProgress;
  readonly #ticker: NodeJS.Timeout;
  #looker: NodeJS.Timeout | undefined;
  #line: StatusLine | null = null;
  #isOpening = false;
  #drawnAtMs: number;
  #isClosed = false;

  constructor(parts: ProgressViewParts) {
    this.#parts = parts;
    this.#progress = new SessionProgress(parts.connection.sessionId);
    this.#drawnAtMs = Date.now();
    this.#ticker = setInterval(() => this.#draw(), TICK_MS).unref();
    this.#lookLater();
  }

  /** `at`: ISO instant of the entry. */
  see(entry: LogEntry, at: string): void {
    this.#progress.see(entry, at);
    if (Date.now() - this.#drawnAtMs >= DRAW_EVERY_MS) this.#draw();
  }

  /** Safe to repeat. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#ticker);
    clearTimeout(this.#looker);
    this.#line?.close();
  }

  #draw(): void {
    this.#drawnAtMs = Date.now();
    // The clock that entries have their instants from, if it is that of this machine.
    const shown = this.#progress.shown(this.#drawnAtMs);
    if (this.#line !== null) this.#line.show(shown);
    else if (shown !== null && !this.#isOpening) void this.#open();
  }

  async #open(): Promise<void> {
    this.#isOpening = true;
    const line = await this.#parts.openLine();
    if (this.#isClosed) {
      line.close();
      return;
    }
    this.#line = line;
    this.#draw();
  }

  #lookLater(): void {
    this.#looker = setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  async #look(): Promise<void> {
    // What cannot be asked is not shown; the server that is away is told of elsewhere.
    if (this.#progress.isRunning) {
      await this.#parts.connection.standing().then(
        (standing) => this.#progress.look(standing),
        () => undefined,
      );
    }
    if (!this.#isClosed) this.#lookLater();
  }
}
