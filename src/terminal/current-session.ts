import type { SessionChoice } from '../cli/command';
import { messageOf } from '../cli/cli-error';
import type { Left } from './farewell';
import { TerminalSession, type TerminalSessionDeps } from './terminal-session';

export interface CurrentSessionDeps extends TerminalSessionDeps {
  /** Sees to it that a background Worker goes on with what is left. */
  readonly ensureBackground: () => Promise<void>;
}

/** The session that the screen shows, and how one goes from it to another, or away. What fails is shown. */
export class CurrentSession {
  /** Resolves when the user has left. */
  readonly left: Promise<Left>;
  readonly #deps: CurrentSessionDeps;
  #session: TerminalSession;
  #isLeaving = false;
  #leave: (left: Left) => void = () => undefined;

  constructor(choice: SessionChoice, deps: CurrentSessionDeps) {
    this.#deps = deps;
    this.#session = new TerminalSession(choice, deps);
    this.left = new Promise((resolve) => (this.#leave = resolve));
  }

  get session(): TerminalSession {
    return this.#session;
  }

  get isLeaving(): boolean {
    return this.#isLeaving;
  }

  /** What the session before still does goes on in the background. */
  async switchTo(choice: SessionChoice): Promise<void> {
    const before = this.#session;
    this.#session = new TerminalSession(choice, this.#deps);
    this.#deps.changed();
    await this.#tried(() => (before.isBusy ? this.#handOver(before) : before.leave()));
    await this.#session.reopen();
  }

  /** What runs is interrupted. */
  async end(): Promise<void> {
    await this.#leaveWith(false, async () => {
      if (this.#session.isBusy) await this.#session.interrupt();
      await this.#session.leave();
    });
  }

  /** What runs goes on. */
  async detach(): Promise<void> {
    await this.#leaveWith(true, async () => {
      const isOpen = this.#session.sessionId !== null || this.#session.isBusy;
      if (isOpen) await this.#handOver(this.#session);
    });
  }

  async #handOver(session: TerminalSession): Promise<void> {
    await this.#deps.ensureBackground();
    await session.detach();
  }

  /** A second wish to leave does not wait for the first. */
  async #leaveWith(detached: boolean, work: () => Promise<void>): Promise<void> {
    if (!this.#isLeaving) {
      this.#isLeaving = true;
      this.#deps.changed();
      await this.#tried(work);
    }
    this.#leave({ sessionId: this.#session.sessionId, detached });
  }

  async #tried(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#session.screen.notice(messageOf(error), 'error');
      this.#deps.changed();
    }
  }
}
