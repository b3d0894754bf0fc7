import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sessionWorkflowId } from '../../src/transcript/place';
import type { LiveEvent } from '../../src/transcript/session-log';
import type { Lease, SessionStore, TranscriptStore } from '../../src/transcript/store';
import * as build from './builders';
import { createFilePlace, type FilePlace } from './file-place';

let place: FilePlace;
let store: TranscriptStore;
let session: SessionStore;
let lease: Lease;
let abort: AbortController;

beforeEach(async () => {
  place = createFilePlace();
  abort = new AbortController();
  store = await place.open();
  session = await store.createSession(build.meta(place.cwd));
  lease = await session.acquireLease(build.owner('a'), build.alive);
});
afterEach(() => {
  abort.abort();
  return place.dispose();
});

const delta = (text: string): LiveEvent => ({ event: { text }, blocks: 0 });
const open = () => session.log.openLive(lease, randomUUID());
const follow = (live: string) => session.log.followLive(live, abort.signal);

function liveFiles(): readonly string[] {
  const folder = sessionWorkflowId(store.place, session.meta.sessionId);
  return readdirSync(join(place.home, 'sessions', folder, 'live'));
}

test('streams that follow one another lie in one file, and each is read alone', async () => {
  const seen: LiveEvent[][] = [];
  for (const text of ['one', 'two', 'three']) {
    const live = await open();
    const following = build.take(follow(live.name), 10);
    live.write(delta(text));
    live.write(delta(`${text} more`));
    await live.close();
    seen.push(await following);
  }

  expect(seen).toEqual(['one', 'two', 'three'].map((text) => [delta(text), delta(`${text} more`)]));
  expect(liveFiles()).toHaveLength(1);
});

test('streams of the same time do not mix', async () => {
  const [first, second] = [await open(), await open()];
  const following = [first, second].map((live) => build.take(follow(live.name), 10));

  first.write(delta('first'));
  second.write(delta('second'));
  await second.close();
  first.write(delta('first again'));
  await first.close();

  expect(await Promise.all(following)).toEqual([
    [delta('first'), delta('first again')],
    [delta('second')],
  ]);
});

test('a stream that is over stays over while the next one lies behind it', async () => {
  const before = await open();
  before.write(delta('before'));
  await before.close();
  const after = await open();
  after.write(delta('after'));

  expect(await build.take(follow(before.name), 1)).toEqual([]);
  expect(await build.take(follow(after.name), 1)).toEqual([delta('after')]);
});

test('a file that has become large goes with its stream, and its follower reads to the end', async () => {
  const large = await open();
  const following = build.take(follow(large.name), 10);
  large.write(delta('x'.repeat(2 ** 20)));
  await large.close();

  const next = await open();

  expect(liveFiles()).toEqual([next.name.split('.')[0]]);
  expect(await following).toEqual([delta('x'.repeat(2 ** 20))]);
});

test('whoever gives up the session leaves no deltas behind', async () => {
  const live = await open();
  live.write(delta('one'));
  await live.close();

  await session.releaseLease(lease);

  expect(liveFiles()).toEqual([]);
});

test('the same process, when it takes over from itself, begins files of its own', async () => {
  const before = await open();
  await before.close();
  const next = await session.acquireLease(build.owner('b'), build.dead);

  const live = await session.log.openLive(next, 'stream');
  live.write(delta('new'));

  expect(await build.take(follow(live.name), 1)).toEqual([delta('new')]);
  expect(liveFiles()).toEqual([live.name.split('.')[0]]);
});
