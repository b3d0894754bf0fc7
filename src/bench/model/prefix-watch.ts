import { outlineRequest } from '../../scripted-model/request-outline';
import type { Prefix } from './model-message';

/** What the server's prompt cache reads before the messages. */
const START = ['model', 'tools', 'system'];

interface Prompt {
  readonly start: Buffer;
  /** Without the closing bracket: what follows is more messages. */
  readonly messages: Buffer;
}

/** Compares each request with the one before, as bytes on the wire. */
export class PrefixWatch {
  #before: Prompt | null = null;

  /** null: there was none before. */
  compare(body: Buffer): Prefix | null {
    return this.#before === null ? null : prefixOf(this.#before, promptOf(body));
  }

  /** The next request is compared with this one. */
  remember(body: Buffer): void {
    this.#before = promptOf(body);
  }
}

function prefixOf(before: Prompt, now: Prompt): Prefix {
  const { length } = before.messages;
  return {
    keepsMessages: now.messages.subarray(0, length).equals(before.messages),
    keepsStart: now.start.equals(before.start),
  };
}

function promptOf(body: Buffer): Prompt {
  const { fields } = outlineRequest(body);
  const bytesOf = (name: string): Buffer => body.subarray(...(fields.get(name) ?? [0, 0]));
  return {
    start: Buffer.concat(START.map(bytesOf)),
    messages: bytesOf('messages').subarray(0, -1),
  };
}
