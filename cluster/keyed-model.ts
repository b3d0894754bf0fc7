import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import type { Reply } from '../src/scripted-model/reply';
import { startScriptedModel } from '../src/scripted-model/scripted-model';
import type { ScriptedRequest } from '../src/scripted-model/scripted-request';
import { WaitingRoom } from '../src/scripted-model/waiting-room';

/** How the model answers a message. */
export interface Answer {
  /** The n-th is for the n-th request of the message; the last one ends its query. */
  readonly replies: readonly Reply[];
  /** Before each. Absent: it answers at once. */
  readonly think?: () => Promise<unknown>;
}

/** A model that many sessions ask at the same time: each message names its answer by a key. */
export class KeyedModel {
  readonly #answers = new Map<string, Answer>();
  readonly #arrivals = new Map<string, number[]>();
  readonly #room = new WaitingRoom();
  /** Requests that have arrived, of all messages. */
  requests = 0;

  private constructor(private readonly model: { readonly url: string; close(): Promise<void> }) {}

  static async start(): Promise<KeyedModel> {
    const served: { by: KeyedModel | null } = { by: null };
    const script = async (request: ScriptedRequest): Promise<Reply> => {
      if (served.by === null) throw new Error('The model has not been started.');
      return served.by.#reply(request);
    };
    served.by = new KeyedModel(
      await startScriptedModel({ match: 'conversation', script, keepBodies: false }),
    );
    return served.by;
  }

  /** What Workers and clients reach it with. */
  get variables(): Readonly<Record<string, string>> {
    return { ANTHROPIC_BASE_URL: this.model.url, ANTHROPIC_API_KEY: 'scripted' };
  }

  /** Returns the text of a message that is answered so. */
  expect(key: string, answer: Answer): string {
    this.#answers.set(key, answer);
    return `Go on. ${OPEN}${key}${CLOSE}`;
  }

  /** Resolves with the instant (of `performance.now()`) at which the n-th request of the message arrives.
   *  Fails: Error after the time limit. */
  arrival(key: string, index: number, timeoutMs: number): Promise<number> {
    const what = `Request ${index} of message ${key}`;
    return this.#room.wait(() => this.arrivalsOf(key)[index], what, { timeoutMs });
  }

  /** Instants at which the requests of the message arrived, so far. A repeated request counts once. */
  arrivalsOf(key: string): readonly number[] {
    return this.#arrivals.get(key) ?? [];
  }

  async close(): Promise<void> {
    this.#room.close('The model was closed.');
    await this.model.close();
  }

  async #reply(request: ScriptedRequest): Promise<Reply> {
    const arrivedAt = performance.now();
    const { key, index } = askedFor(request.body.messages);
    const answer = this.#answers.get(key);
    const reply = answer?.replies[index];
    if (answer === undefined || reply === undefined) {
      throw new Error(`Nobody said what to answer to request ${index} of message "${key}".`);
    }
    const arrivals = this.#arrivals.get(key) ?? [];
    arrivals[index] ??= arrivedAt;
    this.#arrivals.set(key, arrivals);
    this.requests += 1;
    this.#room.changed();
    await answer.think?.();
    return reply;
  }
}

const [OPEN, CLOSE] = ['[[', ']]'];

/** The key of the newest message, and how many replies it has had. */
function askedFor(messages: readonly MessageParam[]): { key: string; index: number } {
  let index = 0;
  for (const { role, content } of messages.toReversed()) {
    if (role === 'assistant') index += 1;
    const key = keyIn(content);
    if (role === 'user' && key !== undefined) return { key, index };
  }
  return { key: '', index };
}

function keyIn(content: MessageParam['content']): string | undefined {
  const texts = typeof content === 'string' ? [content] : content.map(textOf);
  for (const text of texts.toReversed()) {
    const from = text.lastIndexOf(OPEN);
    if (from >= 0) return text.slice(from + OPEN.length, text.indexOf(CLOSE, from));
  }
  return undefined;
}

const textOf = (block: Exclude<MessageParam['content'], string>[number]): string =>
  block.type === 'text' ? block.text : '';
