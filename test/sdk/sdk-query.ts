import { randomUUID } from 'node:crypto';
import type { SDKMessage, SDKResultMessage } from '@anthropic-ai/claude-agent-sdk' with {
  'resolution-mode': 'import',
};
import type { Servers } from './sdk-client';
import type { FromTest, ToTest } from './wire';

type Said = Unnamed<Extract<FromTest, { type: 'send' | 'end' }>>;
type Unnamed<Each> = Each extends unknown ? Omit<Each, 'of'> : never;

interface Client {
  readonly say: (said: Said) => void;
  readonly call: (method: string, args: readonly unknown[]) => Promise<unknown>;
  readonly setServers: (servers: Servers) => Promise<unknown>;
}

/** One `query()` in the client process, as a test sees it. */
export class SdkQuery {
  readonly messages: SDKMessage[] = [];
  /** What the program wrote to stderr. */
  stderr = '';
  readonly #client: Client;
  readonly #watchers = new Set<() => void>();
  #ending: { readonly error?: string } | null = null;

  constructor(client: Client) {
    this.#client = client;
  }

  get results(): readonly SDKResultMessage[] {
    return this.messages.filter((message) => message.type === 'result');
  }

  get sessionId(): string {
    return this.messages.find(({ session_id: id }) => id !== undefined)?.session_id ?? '';
  }

  /** Resolves with the result once the iterator has ended. Fails: when the SDK throws, or after a minute. */
  async result(): Promise<SDKResultMessage> {
    const error = await this.ended();
    if (error !== null) throw new Error(`${error}\n${this.stderr}`);
    return this.requireResult();
  }

  /** Resolves with what the SDK threw; null: nothing. */
  async ended(): Promise<string | null> {
    await this.#until(() => this.#ending !== null, 'the end');
    return this.#ending?.error ?? null;
  }

  /** Resolves with the first message, of those there are and will be, that fits. */
  async until<Message extends SDKMessage>(
    fits: (message: SDKMessage) => message is Message,
    what: string,
  ): Promise<Message> {
    await this.#until(() => this.messages.some(fits), what);
    return this.messages.find(fits) as Message;
  }

  /** Resolves when there are so many results. */
  async untilResults(count: number): Promise<void> {
    await this.#until(() => this.results.length >= count, `${count} results`);
  }

  send(content: string, fields: object = {}): string {
    const uuid = randomUUID();
    this.#client.say({
      type: 'send',
      message: {
        type: 'user',
        message: { role: 'user', content },
        parent_tool_use_id: null,
        uuid,
        ...fields,
      },
    });
    return uuid;
  }

  end(): void {
    this.#client.say({ type: 'end' });
  }

  call(method: string, ...args: readonly unknown[]): Promise<unknown> {
    return this.#client.call(method, args);
  }

  setServers(servers: Servers): Promise<unknown> {
    return this.#client.setServers(servers);
  }

  hear(said: Extract<ToTest, { type: 'message' | 'ended' | 'stderr' }>): void {
    if (said.type === 'message') this.messages.push(said.message as SDKMessage);
    else if (said.type === 'stderr') this.stderr += said.text;
    else this.#ending = said;
    for (const look of this.#watchers) look();
  }

  requireResult(): SDKResultMessage {
    const last = this.results.at(-1);
    if (last === undefined) throw new Error(`The query has no result.\n${this.stderr}`);
    return last;
  }

  async #until(isTrue: () => boolean, what: string): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    let look: () => void = () => undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(this.#missing(what))), PATIENCE_MS);
    });
    const seen = new Promise<void>((resolve) => {
      look = () => {
        if (isTrue()) resolve();
      };
      this.#watchers.add(look);
      look();
    });
    try {
      await Promise.race([seen, late]);
    } finally {
      clearTimeout(timer);
      this.#watchers.delete(look);
    }
  }

  #missing(what: string): string {
    const seen = this.messages.map((message) => JSON.stringify(message).slice(0, 200));
    return `${what} did not come within ${PATIENCE_MS / 1_000} s. Seen:\n${seen.join('\n')}\n${this.stderr}`;
  }
}

const PATIENCE_MS = 60_000;
