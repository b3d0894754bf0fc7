import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { FollowerMessage, FollowOrder } from './follower-message';

/** Followers of one session, in a process of their own. */
export class Followers {
  readonly #child: ChildProcess;
  #delaysMs: readonly number[] | null = null;
  #isFollowing = false;

  constructor(order: FollowOrder) {
    this.#child = fork(require.resolve('./followers-main'));
    this.#child.on('message', (message: FollowerMessage) => {
      if (message.type === 'following') this.#isFollowing = true;
      else this.#delaysMs = message.delaysMs;
    });
    this.#child.send(order);
  }

  /** Whether each of them has come to the running reply. */
  get isFollowing(): boolean {
    return this.#isFollowing;
  }

  /** How late each delta came to each follower, when the query has ended. Fails: Error when the process has. */
  async delaysMs(): Promise<readonly number[]> {
    while (this.#delaysMs === null) {
      if (!this.#child.connected) throw new Error('The process of followers has ended.');
      await Promise.race([once(this.#child, 'message'), once(this.#child, 'disconnect')]);
    }
    return this.#delaysMs;
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
