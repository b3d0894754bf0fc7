import type { FollowedEntry, LiveEvent, LogEntry } from '../../transcript/session-log';
import type { StreamId } from '../../transcript/stream-id';

export type MergedItem =
  | { readonly type: 'entry'; readonly followed: FollowedEntry }
  | { readonly type: 'live'; readonly event: LiveEvent };

export type FollowLive = (live: string, signal: AbortSignal) => AsyncGenerator<LiveEvent, void>;

/** How long an entry waits for the events that belong before it. A Worker that died leaves a stream without an end. */
const PATIENCE_MS = 500;

/** The log with the raw stream events put between its entries, as the client must see them: the events of a block,
 *  then the block, then its `content_block_stop`.
 *  The log and the events beside it are written independently; `LiveEvent.blocks` says how they belong together. */
export async function* mergeLive(
  log: AsyncGenerator<FollowedEntry, void>,
  followLive: FollowLive,
  patienceMs: number = PATIENCE_MS,
): AsyncGenerator<MergedItem, void> {
  const bell = new Bell();
  const entries = new Lookahead(log, bell);
  const followNext: FollowNext = (name, signal) => new Lookahead(followLive(name, signal), bell);
  let live: OpenStream | null = null;
  try {
    while (true) {
      const entry = entries.head;
      if (entry === 'ended') return;
      const event = live?.next.head;
      if (live && event && event !== 'ended' && live.mayShow(event, entry)) {
        live.next.take();
        yield { type: 'live', event };
        continue;
      }
      if (entry && (!live || live.isReady(entry.entry))) {
        entries.take();
        yield { type: 'entry', followed: entry };
        live = streamAfter(entry.entry, live, followNext);
        continue;
      }
      if (await bell.rings(live && entry ? patienceMs : null)) continue;
      live?.giveUp();
    }
  } finally {
    live?.close();
    await log.return();
  }
}

type FollowNext = (live: string, signal: AbortSignal) => Lookahead<LiveEvent>;

/** The stream that is open after the entry. */
function streamAfter(
  entry: LogEntry,
  live: OpenStream | null,
  followNext: FollowNext,
): OpenStream | null {
  if (entry.type === 'stream_started') {
    live?.close();
    return new OpenStream(entry.stream, entry.live, followNext);
  }
  if (live?.isBlock(entry)) live.blocks += 1;
  live?.beginAgain();
  if (!live?.isEnd(entry)) return live;
  live.close();
  return null;
}

/** A stream whose events are being shown. */
class OpenStream {
  readonly next: Lookahead<LiveEvent>;
  /** Blocks of this stream that were shown. */
  blocks = 0;
  readonly #stream: StreamId;
  readonly #leaving = new AbortController();
  #hasGivenUp = false;

  constructor(stream: StreamId, live: string, followNext: FollowNext) {
    this.#stream = stream;
    this.next = followNext(live, this.#leaving.signal);
  }

  isBlock(entry: LogEntry): boolean {
    return entry.type === 'record' && entry.stream === this.#stream;
  }

  isEnd(entry: LogEntry): boolean {
    switch (entry.type) {
      case 'stream_committed':
      case 'stream_discarded':
        return entry.stream === this.#stream;
      case 'query_ended':
      case 'query_started':
        return true;
      case 'api_retry':
      case 'record':
      case 'stream_started':
      case 'tool_started':
      case 'tool_use_summary':
      case 'notice':
      case 'status':
      case 'hook_started':
      case 'hook_ended':
      case 'permission_requested':
      case 'permission_decided':
        return false;
    }
  }

  /** An event goes out when the blocks before it are out, or when no more of them can come. */
  mayShow(event: LiveEvent, entry: FollowedEntry | undefined): boolean {
    return event.blocks <= this.blocks || (entry !== undefined && this.isEnd(entry.entry));
  }

  /** An entry goes out when the events before it are out. Entries of no block wait for nothing. */
  isReady(entry: LogEntry): boolean {
    if (this.#hasGivenUp || this.next.head === 'ended') return true;
    if (entry.type === 'stream_discarded') return true;
    if (this.isBlock(entry)) {
      return this.next.head !== undefined && this.next.head.blocks > this.blocks;
    }
    return !this.isEnd(entry);
  }

  giveUp(): void {
    this.#hasGivenUp = true;
  }

  /** Patience is per entry: one late event must not put all others in disorder. */
  beginAgain(): void {
    this.#hasGivenUp = false;
  }

  close(): void {
    this.#leaving.abort();
  }
}

/** Wakes whoever waits for the next value of any source. There is a value for each token of the model: a race of
 *  promises would leave something behind in each of them every time. */
class Bell {
  #wake: (() => void) | null = null;

  ring(): void {
    this.#wake?.();
  }

  /** true: it rang; false: it did not within the time. `null`: wait for ever. */
  async rings(withinMs: number | null): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const hasRung = await new Promise<boolean>((resolve) => {
      this.#wake = () => resolve(true);
      if (withinMs !== null) timer = setTimeout(() => resolve(false), withinMs);
    });
    clearTimeout(timer);
    this.#wake = null;
    return hasRung;
  }
}

/** An async generator whose next value can be looked at. */
class Lookahead<T> {
  readonly #source: AsyncGenerator<T, void>;
  readonly #bell: Bell;
  #head: T | 'ended' | undefined;
  #failure: { readonly error: unknown } | null = null;

  constructor(source: AsyncGenerator<T, void>, bell: Bell) {
    this.#source = source;
    this.#bell = bell;
    this.#pull();
  }

  /** undefined: not there yet. Fails: as the source has. */
  get head(): T | 'ended' | undefined {
    if (this.#failure !== null) throw this.#failure.error;
    return this.#head;
  }

  take(): void {
    this.#head = undefined;
    this.#pull();
  }

  #pull(): void {
    this.#source
      .next()
      .then((next) => (this.#head = next.done === true ? 'ended' : next.value))
      .catch((error: unknown) => (this.#failure = { error }))
      .finally(() => this.#bell.ring());
  }
}
