import { describeReply, type Reply } from './reply';
import type { Match, ReplyFunction, Script } from './script';
import type { ScriptedRequest } from './scripted-request';

export interface Choice {
  readonly reply: Reply;
  /** Names the reply in ids; the same each time the reply is played. */
  readonly index: number;
}

/** Finds the reply to each request, and remembers what was played. */
export class Playbook {
  readonly #match: Match;
  readonly #replies: readonly Reply[] | null;
  readonly #ask: ReplyFunction | null;
  /** For `conversation`: per number of assistant messages, the indexes of its replies, the last one to be repeated. */
  readonly #places: readonly (readonly number[])[];
  readonly #played = new Set<number>();
  #arrived = 0;
  #repeats = 0;

  constructor({ script, match = 'arrival' }: Script) {
    this.#match = match;
    this.#replies = typeof script === 'function' ? null : script;
    this.#ask = typeof script === 'function' ? script : null;
    this.#places = this.#replies === null ? [] : placesOf(this.#replies);
  }

  /** Requests answered with a reply that had been played before. */
  get repeats(): number {
    return this.#repeats;
  }

  /** Fails: Error when the script has no reply to this request. */
  async choose(request: ScriptedRequest): Promise<Choice> {
    const arrival = this.#arrived++;
    const place = this.#match === 'arrival' ? arrival : request.outline.assistantMessages;
    if (this.#ask) {
      this.#note(place);
      return { reply: await this.#ask(request, place), index: place };
    }
    const index = this.#match === 'arrival' ? place : this.#nextAt(place);
    const reply = index === undefined ? undefined : this.#replies?.[index];
    if (index === undefined || !reply) throw new Error(this.#overConsumed(arrival, place));
    this.#note(index);
    return { reply, index };
  }

  /** Replies that were never asked for. A function has none. */
  unplayed(): readonly string[] {
    return (this.#replies ?? [])
      .map((reply, index) => (this.#played.has(index) ? '' : describeReply(reply, index)))
      .filter((line) => line !== '');
  }

  #note(index: number): void {
    if (this.#played.has(index)) this.#repeats++;
    this.#played.add(index);
  }

  #nextAt(place: number): number | undefined {
    const indexes = this.#places[place] ?? [];
    return indexes.find((index) => !this.#played.has(index)) ?? indexes.at(-1);
  }

  #overConsumed(arrival: number, place: number): string {
    const which = this.#match === 'arrival' ? '' : ` with ${place} assistant messages`;
    return (
      `Scripted model: request ${arrival}${which} has no reply; the script holds ${this.#replies?.length ?? 0}. ` +
      'Add a reply, or find out why the client asked once more.'
    );
  }
}

/** A reply that leaves no assistant message shares the place of the one after it. */
function placesOf(replies: readonly Reply[]): number[][] {
  const places: number[][] = [];
  let place: number[] = [];
  replies.forEach((reply, index) => {
    if (place.length === 0) places.push(place);
    place.push(index);
    if (!isRetried(reply)) place = [];
  });
  return places;
}

function isRetried(reply: Reply): boolean {
  const breaks = (reply.interruptions ?? []).some(({ type }) => type === 'cut' || type === 'error');
  const hasNoMessage = reply.error ?? reply.cut ?? reply.raw;
  return reply.isRetried ?? (hasNoMessage !== undefined || breaks);
}
