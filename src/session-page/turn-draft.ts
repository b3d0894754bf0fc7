import type { CallDraft } from './call-draft';
import type { ReplyFacts, RequestFacts, TurnFacts } from './facts';

interface Request {
  readonly stream: string;
  facts: RequestFacts;
}

/** A turn as it becomes known. One that is tried again has several requests. */
export class TurnDraft {
  readonly number: number;
  readonly calls: CallDraft[] = [];
  readonly #requests: Request[] = [];
  readonly #texts: string[] = [];
  #reply: ReplyFacts | null = null;

  constructor(number: number) {
    this.number = number;
  }

  /** A stream that began before and did not end was lost with its Worker. */
  begin(stream: string, fromMs: number): void {
    this.#endOpen(fromMs);
    const facts: RequestFacts = { fromMs, toMs: null, outcome: 'running', reason: null };
    this.#requests.push({ stream, facts });
  }

  commit(stream: string, toMs: number, reply: ReplyFacts | undefined): void {
    this.#end(stream, { toMs, outcome: 'committed' });
    this.#reply = reply ?? this.#reply;
  }

  discard(stream: string, toMs: number, reason: string): void {
    this.#end(stream, { toMs, outcome: 'discarded', reason });
    this.#texts.length = 0;
    const kept = this.calls.filter((call) => call.stream !== stream);
    this.calls.splice(0, this.calls.length, ...kept);
  }

  say(text: string): void {
    this.#texts.push(text);
  }

  /** `overMs`: when its query ended; null: that goes on. */
  toFacts(overMs: number | null): TurnFacts {
    if (overMs !== null) this.#endOpen(overMs);
    return {
      number: this.number,
      requests: this.#requests.map(({ facts }) => facts),
      reply: this.#reply,
      text: this.#texts.join(' '),
      calls: this.calls.map((call) => call.toFacts(overMs)),
    };
  }

  #end(stream: string, end: Partial<RequestFacts>): void {
    const request = this.#requests.findLast((one) => one.stream === stream);
    if (request !== undefined) request.facts = { ...request.facts, ...end };
  }

  #endOpen(toMs: number): void {
    for (const request of this.#requests) {
      if (request.facts.toMs !== null) continue;
      request.facts = { ...request.facts, toMs, outcome: 'lost' };
    }
  }
}
