import type { FollowedEntry, LiveEvent, LogEntry } from '../../transcript/session-log';
import type { StreamId } from '../../transcript/stream-id';
import { setTimeout as delay } from 'node:timers/promises';

export type MergedItem =
  | { readonly type: 'entry'; readonly followed: FollowedEntry }
  | { readonly type: 'live'; readonly event: LiveEvent };

type FollowLive = (live: string, signal: AbortSignal) => AsyncGenerator<LiveEvent, void>;

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
  const entries = new Lookahead(log);
  let live: OpenStream | null = null;
  try {
    while (true) {
      const entry = entries.head;
      if (entry === 'ended') return;
      if (live?.next.head && live.next.head !== 'ended' && live.mayShow(live.next.head, entry)) {
        const event = live.next.head;
        live.next.take();
        yield { type: 'live', event };
        continue;
      }
      if (entry && (!live || live.isReady(entry.entry))) {
        entries.take();
        yield { type: 'entry', followed: entry };
        live = streamAfter(entry.entry, live, followLive);
        continue;
      }
      await waitForMore(entries, live, entry !== undefined, patienceMs);
    }
  } finally {
    live?.close();
    await log.return();
  }
}

/** Resolves when another entry or event is there; an entry that has waited too long is let through. */
async function waitForMore(
  entries: Lookahead<FollowedEntry>,
  live: OpenStream | null,
  isHeld: boolean,
  patienceMs: number,
): Promise<void> {
  const timer = new AbortController();
  const waits: Promise<unknown>[] = isHeld ? [] : [entries.arrived()];
  if (live && live.next.head === undefined) waits.push(live.next.arrived());
  if (live && isHeld) {
    waits.push(
      delay(patienceMs, undefined, { signal: timer.signal }).then(
        () => live.giveUp(),
        () => undefined,
      ),
    );
  }
  await Promise.race(waits);
  timer.abort();
}

/** The stream that is open after the entry. */
function streamAfter(
  entry: LogEntry,
  live: OpenStream | null,
  followLive: FollowLive,
): OpenStream | null {
  if (entry.type === 'stream_started') {
    live?.close();
    return new OpenStream(entry.stream, entry.live, followLive);
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

  constructor(stream: StreamId, live: string, followLive: FollowLive) {
    this.#stream = stream;
    this.next = new Lookahead(followLive(live, this.#leaving.signal));
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

/** An async generator whose next value can be looked at. */
class Lookahead<T> {
  /** undefined: not there yet. */
  head: T | 'ended' | undefined;
  readonly #source: AsyncGenerator<T, void>;
  #pending: Promise<void>;

  constructor(source: AsyncGenerator<T, void>) {
    this.#source = source;
    this.#pending = this.#pull();
  }

  /** Resolves when `head` is there. */
  arrived(): Promise<void> {
    return this.#pending;
  }

  take(): void {
    this.head = undefined;
    this.#pending = this.#pull();
  }

  #pull(): Promise<void> {
    const arrival = this.#source.next().then((next) => {
      this.head = next.done ? 'ended' : next.value;
    });
    // The reader may be busy with a message when the source fails; it learns of it at its next `arrived()`.
    arrival.catch(() => undefined);
    return arrival;
  }
}
