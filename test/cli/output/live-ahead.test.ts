import { followAhead } from '../../../src/cli/output/live-ahead';
import type { FollowedEntry, LiveEvent, LogEntry } from '../../../src/transcript/session-log';

const started = (live: string): LogEntry => ({
  type: 'stream_started',
  queryId: 'query',
  stream: `stream of ${live}`,
  turn: 1,
  live,
});

/** A log whose streams show their events only to those who open them before they end. */
class FleetingLog {
  readonly opened: string[] = [];
  readonly #ended = new Set<string>();
  readonly #entries: readonly LogEntry[];

  constructor(streams: readonly string[]) {
    this.#entries = streams.map(started);
  }

  end(stream: string): void {
    this.#ended.add(stream);
  }

  async *follow(): AsyncGenerator<FollowedEntry, void> {
    for (const entry of this.#entries) yield { cursor: '', at: '', entry };
  }

  async *followLive(live: string): AsyncGenerator<LiveEvent, void> {
    this.opened.push(live);
    if (this.#ended.has(live)) return;
    yield { event: `first of ${live}`, blocks: 0 };
    yield { event: `second of ${live}`, blocks: 0 };
  }
}

const following = (log: FleetingLog, signal = new AbortController().signal) =>
  followAhead(
    { follow: () => log.follow(), followLive: (live) => log.followLive(live), end: async () => '' },
    signal,
  );

async function all(events: AsyncGenerator<LiveEvent, void>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const { event } of events) seen.push(event);
  return seen;
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
};
const { signal: never } = new AbortController();

test('a reader who comes after the end of a stream still gets its events', async () => {
  const log = new FleetingLog(['a', 'b']);
  const follow = following(log);

  await settle();
  log.end('a');
  log.end('b');

  expect(await all(follow('b', never))).toEqual(['first of b', 'second of b']);
  expect(await all(follow('a', never))).toEqual(['first of a', 'second of a']);
});

test('a reader who is in time gets them once', async () => {
  const log = new FleetingLog(['a']);
  const follow = following(log);

  const seen = await all(follow('a', never));
  await settle();

  expect(seen).toEqual(['first of a', 'second of a']);
  expect(log.opened).toEqual(['a']);
});

test('streams without end do not use up all files', async () => {
  const log = new FleetingLog(Array.from({ length: 1_000 }, (_, index) => `stream ${index}`));

  following(log);
  for (let turn = 0; turn < 100; turn += 1) await settle();

  expect(log.opened.length).toBe(256);
});
