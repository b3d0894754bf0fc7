import type { AgentMessage } from './message';

/** How many messages one look at the queue takes. */
export type QueueMode = 'all' | 'one-at-a-time';

export class MessageQueue {
  #messages: AgentMessage[] = [];

  constructor(public mode: QueueMode) {}

  get isEmpty(): boolean {
    return this.#messages.length === 0;
  }

  add(message: AgentMessage): void {
    this.#messages.push(message);
  }

  take(): AgentMessage[] {
    return this.#messages.splice(0, this.mode === 'all' ? this.#messages.length : 1);
  }

  clear(): void {
    this.#messages = [];
  }
}
