import { on, EventEmitter } from 'node:events';
import { mergeLive, type MergedItem } from '../../../src/cli/output/live-merge';
import type { FollowedEntry, LiveEvent, LogEntry } from '../../../src/transcript/session-log';
import { reply, textBlock, queryEnded } from '../../support/fake-session';

/** Longer than any test may take: what waits for patience, fails. */
const NEVER_MS = 100_000;

const started: LogEntry = {
  type: 'stream_started',
  queryId: 'query',
  stream: 'stream-1',
  turn: 1,
  live: 'live-1',
};
const committed: LogEntry = {
  type: 'stream_committed',
  queryId: 'query',
  stream: 'stream-1',
  leaf: 'x',
};
const discarded: LogEntry = { ...committed, type: 'stream_discarded', reason: 'cut' };
const event = (name: string, blocks: number): LiveEvent => ({ event: { type: name }, blocks });
const EVENTS = [
  event('message_start', 0),
  event('start 0', 0),
  event('delta 0', 0),
  event('stop 0', 1),
  event('start 1', 1),
  event('stop 1', 2),
  event('message_stop', 2),
];
const EXPECTED = [
  'stream_started',
  'message_start',
  'start 0',
  'delta 0',
  'record',
  'stop 0',
  'start 1',
  'record',
  'stop 1',
  'message_stop',
  'stream_committed',
  'query_ended',
];
const BLOCKS = reply([textBlock('a'), textBlock('b')]);
const LOG = [started, ...BLOCKS, committed, queryEnded('p')];

/** Values that the test gives out one by one. */
class Source<T> {
  readonly #emitter = new EventEmitter();
  readonly #iterator = on(this.#emitter, 'value', { close: ['end'] });
  give(...values: readonly T[]): void {
    for (const value of values) this.#emitter.emit('value', value);
  }
  end(): void {
    this.#emitter.emit('end');
  }
  async *values(): AsyncGenerator<T, void> {
    for await (const [value] of this.#iterator as AsyncIterable<[T]>) yield value;
  }
}

const followed = (entry: LogEntry): FollowedEntry => ({ cursor: '', at: '', entry });
const nameOf = (item: MergedItem): string =>
  item.type === 'live' ? (item.event.event as { type: string }).type : item.followed.entry.type;

function merge(patienceMs = NEVER_MS) {
  const log = new Source<FollowedEntry>();
  const live = new Source<LiveEvent>();
  const names: string[] = [];
  const done = (async () => {
    for await (const item of mergeLive(log.values(), () => live.values(), patienceMs)) {
      names.push(nameOf(item));
    }
  })();
  return { log, live, names, done };
}

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate);
};

test('a log that is far ahead of the events waits for them', async () => {
  const { log, live, names, done } = merge();

  log.give(...LOG.map(followed));
  log.end();
  await settle();
  const before = [...names];
  live.give(...EVENTS);
  live.end();
  await done;

  expect(before).toEqual(['stream_started']);
  expect(names).toEqual(EXPECTED);
});

test('events that are far ahead of the log wait for their blocks', async () => {
  const { log, live, names, done } = merge();

  log.give(followed(started));
  live.give(...EVENTS);
  live.end();
  await settle();
  const before = [...names];
  log.give(...LOG.slice(1).map(followed));
  log.end();
  await done;

  expect(before).toEqual(EXPECTED.slice(0, 4));
  expect(names).toEqual(EXPECTED);
});

test('a delta is there before its block is', async () => {
  const { log, live, names } = merge();

  log.give(followed(started));
  live.give(...EVENTS.slice(0, 3));
  await settle();

  expect(names).toEqual(['stream_started', 'message_start', 'start 0', 'delta 0']);
});

test('a stream without events shows its blocks', async () => {
  const { log, live, names, done } = merge();

  live.end();
  log.give(...LOG.map(followed));
  log.end();
  await done;

  expect(names).toEqual(LOG.map(({ type }) => type));
});

test('a discarded stream is over at once, whatever events are missing', async () => {
  const { log, live, names, done } = merge();

  log.give(followed(started));
  live.give(event('message_start', 0));
  await settle();
  log.give(followed(discarded), followed(queryEnded('p')));
  log.end();
  await done;

  expect(names).toEqual(['stream_started', 'message_start', 'stream_discarded', 'query_ended']);
});

test('a block of a stream whose writer died is shown after a while', async () => {
  const { log, names, done } = merge(1);

  log.give(...[started, BLOCKS[0]!, discarded].map(followed));
  log.end();
  await done;

  expect(names).toEqual(['stream_started', 'record', 'stream_discarded']);
});

test('other entries do not wait for the stream', async () => {
  const { log, names } = merge();
  const toolStarted: LogEntry = {
    type: 'tool_started',
    queryId: 'query',
    toolUseId: 't',
    name: 'Read',
    summary: '',
  };

  log.give(followed(started), followed(toolStarted));
  await settle();

  expect(names).toEqual(['stream_started', 'tool_started']);
});
