import { forkInto } from '../../src/transcript/fork';
import type { SessionStore, TranscriptStore } from '../../src/transcript/store';
import type { TranscriptRecord } from '../../src/transcript/record';
import { wholeChain } from '../../src/transcript/whole-chain';
import * as build from './builders';
import { createFilePlace, type FilePlace } from './file-place';

let place: FilePlace;
let store: TranscriptStore;
let source: SessionStore;
let target: SessionStore;
beforeEach(async () => {
  place = createFilePlace();
  store = await place.open();
  source = await store.createSession(build.meta(place.cwd));
  target = await store.createSession(build.meta(place.cwd));
});
afterEach(() => place.dispose());

async function hold(...records: readonly TranscriptRecord[]): Promise<void> {
  const lease = await source.acquireLease(build.owner('first'), build.alive);
  await source.append(lease, 'key', records);
}

test('a fork holds the conversation up to the leaf, under its own id and with the same uuids', async () => {
  const [one, two, three] = build.chainOf(3);
  await hold(one!, two!, three!);

  await forkInto(target, source, two!.uuid);

  const leaf = await target.lastLeaf();
  const copy = await target.chain(leaf ?? '');
  expect(build.uuids(copy)).toEqual([one!.uuid, two!.uuid]);
  expect(copy.map(({ sessionId }) => sessionId)).toEqual(copy.map(() => target.meta.sessionId));
  expect(await source.lastLeaf()).toBe(three!.uuid);
});

test('what summaries took the place of comes along', async () => {
  const before = build.chainOf(2);
  const boundary = { ...build.boundary(null), logicalParentUuid: before[1]!.uuid };
  const after = build.user(boundary.uuid, 'summary');
  await hold(...before, boundary, after);

  await forkInto(target, source, after.uuid);

  const all = [...before, boundary, after].map(({ uuid }) => uuid);
  expect(build.uuids(await wholeChain(target, after.uuid))).toEqual(all);
  expect(build.uuids(await target.chain(after.uuid))).toEqual(all.slice(2));
});

test('a fork of an empty session is empty', async () => {
  await forkInto(target, source, null);

  expect(await target.lastLeaf()).toBeNull();
});

test('another process may serve the fork at once', async () => {
  const [one] = build.chainOf(1);
  await hold(one!);
  await forkInto(target, source, one!.uuid);

  const elsewhere = await (await place.open()).openSession(target.meta.sessionId);

  expect(await elsewhere?.currentLease()).toBeUndefined();
  expect(await elsewhere?.acquireLease(build.owner('second'), build.alive)).toBeDefined();
});
