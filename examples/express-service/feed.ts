import { EventEmitter } from 'node:events';
import type * as Sdk from '@anthropic-ai/claude-agent-sdk' with { 'resolution-mode': 'import' };

export type Message = Sdk.SDKMessage | Sdk.SessionMessage;

/** What this process knows of one session, each message once. */
export class Feed extends EventEmitter<{ message: [Message]; end: [] }> {
  readonly messages: Message[] = [];
  readonly #uuids = new Set<string>();
  hasEnded = false;

  async fill(source: AsyncIterable<Message>): Promise<void> {
    try {
      for await (const message of source) this.add(message);
    } catch (error) {
      console.error(String(error));
    }
    this.hasEnded = true;
    this.emit('end');
  }

  /** A turn that goes on after a restart repeats what it has said. */
  add(message: Message): void {
    const { uuid } = message;
    if (uuid !== undefined && this.#uuids.has(uuid)) return;
    if (uuid !== undefined) this.#uuids.add(uuid);
    this.messages.push(message);
    this.emit('message', message);
  }
}
