import type { LiveEvent } from '../../transcript/session-log';
import type { SessionLog } from '../../transcript/store';
import type { FollowLive } from './live-merge';

/** Streams that wait for their reader. Each is an open file. */
const MOST_WAITING = 256;

/** Opens the raw events of every stream as it begins, however late its reader comes: after the end of a stream
 *  they are there only for those who had opened them. What waits lies on disk, but for the first event of each.
 *  `signal` ends it all. */
export function followAhead(log: Log, signal: AbortSignal): FollowLive {
  const ahead = new LiveAhead(log, signal);
  return (live, ended) => ahead.follow(live, ended);
}

type Log = Pick<SessionLog, 'follow' | 'followLive' | 'end'>;

interface Waiting {
  readonly events: AsyncGenerator<LiveEvent, void>;
  /** Asked for at once: this is what opens the file. */
  readonly first: Promise<IteratorResult<LiveEvent, void>>;
  readonly leave: AbortController;
}

class LiveAhead {
  readonly #log: Log;
  readonly #signal: AbortSignal;
  /** By the name of the stream's events. `taken`: the reader was here before us. */
  readonly #streams = new Map<string, Waiting | 'taken'>();

  constructor(log: Log, signal: AbortSignal) {
    this.#log = log;
    this.#signal = signal;
    // A reader who is not late finds the events without us.
    this.#openAll().catch(() => undefined);
  }

  async *follow(live: string, ended: AbortSignal): AsyncGenerator<LiveEvent, void> {
    const waiting = this.#streams.get(live);
    if (waiting === undefined || waiting === 'taken') {
      this.#streams.set(live, 'taken');
      yield* this.#log.followLive(live, AbortSignal.any([ended, this.#signal]));
      return;
    }
    this.#streams.delete(live);
    ended.addEventListener('abort', () => waiting.leave.abort(), { once: true });
    if (ended.aborted) waiting.leave.abort();
    const first = await waiting.first;
    if (first.done === true) return;
    yield first.value;
    yield* waiting.events;
  }

  async #openAll(): Promise<void> {
    const from = await this.#log.end();
    for await (const { entry } of this.#log.follow(from, this.#signal)) {
      if (entry.type === 'stream_started') this.#open(entry.live);
    }
  }

  #open(live: string): void {
    if (this.#streams.delete(live) || this.#streams.size >= MOST_WAITING) return;
    const leave = new AbortController();
    const events = this.#log.followLive(live, AbortSignal.any([leave.signal, this.#signal]));
    const first = events.next();
    first.catch(() => undefined);
    this.#streams.set(live, { events, first, leave });
  }
}
