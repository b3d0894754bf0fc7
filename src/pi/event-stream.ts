import type { AssistantMessage } from './message';
import type { AssistantMessageEvent } from './model';

/** Events on their way from a run that does not wait to a reader that may be slow. Reading ends with the event
 *  that `isLast` names, and throws what the run failed with. */
export class EventStream<Event, Result = Event> implements AsyncIterable<Event> {
  readonly #isLast: (event: Event) => boolean;
  readonly #resultOf: (event: Event) => Result;
  readonly #events: Event[] = [];
  readonly #result: Promise<Result>;
  #settle!: (result: Result | Promise<Result>) => void;
  #failure: { readonly error: unknown } | null = null;
  #isOver = false;
  #wake: () => void = () => undefined;

  constructor(isLast: (event: Event) => boolean, resultOf: (event: Event) => Result) {
    this.#isLast = isLast;
    this.#resultOf = resultOf;
    this.#result = new Promise((resolve) => (this.#settle = resolve));
    // A reader who only iterates hears of the failure there.
    this.#result.catch(() => undefined);
  }

  /** What comes after the last event is dropped. */
  push(event: Event): void {
    if (this.#isOver) return;
    this.#events.push(event);
    if (this.#isLast(event)) this.end(this.#resultOf(event));
    this.#wake();
  }

  end(result?: Result): void {
    this.#isOver = true;
    if (result !== undefined) this.#settle(result);
    this.#wake();
  }

  fail(error: unknown): void {
    this.#isOver = true;
    this.#failure = { error };
    this.#settle(Promise.reject(error));
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Event> {
    for (;;) {
      const event = this.#events.shift();
      if (event !== undefined) yield event;
      else if (this.#failure !== null) throw this.#failure.error;
      else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  result(): Promise<Result> {
    return this.#result;
  }
}

/** For providers: push the events of a reply, the last one being `done` or `error`. */
export class AssistantMessageEventStream extends EventStream<
  AssistantMessageEvent,
  AssistantMessage
> {
  constructor() {
    super(
      ({ type }) => type === 'done' || type === 'error',
      (event) => {
        if (event.type === 'done') return event.message;
        if (event.type === 'error') return event.error;
        throw new Error(`A reply cannot end with a ${event.type} event.`);
      },
    );
  }
}

export function createAssistantMessageEventStream(): AssistantMessageEventStream {
  return new AssistantMessageEventStream();
}
