import { randomUUID } from 'node:crypto';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TranscriptStore } from '../../src/transcript/store';
import * as build from './builders';
import { createFilePlace, type FilePlace } from './file-place';

let place: FilePlace;
let store: TranscriptStore;
beforeEach(async () => {
  place = createFilePlace();
  store = await place.open();
});
afterEach(() => place.dispose());

/** A transcript that another program has written; `at`: seconds since the epoch of its last change. */
function recorded(name: string, cwd = place.cwd, at = 1_000): string {
  const folder = join(place.projectsFolder, cwd.replace(/[^A-Za-z0-9]/g, '-'));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.jsonl`);
  writeFileSync(file, `${JSON.stringify({ ...build.user(null), cwd })}\n`);
  utimesSync(file, at, at);
  return name;
}

async function own(at: number): Promise<string> {
  const session = await store.createSession(build.meta(place.cwd));
  const lease = await session.acquireLease(build.owner('first'), build.alive);
  await session.append(lease, 'key', [build.user(null)]);
  utimesSync(session.transcriptPath, at, at);
  return session.meta.sessionId;
}

test('recorded sessions are listed apart from ours, conversations of sub-agents not at all', async () => {
  const theirs = recorded(randomUUID());
  recorded('agent-1');
  const ours = await own(1_000);

  const ids = (listed: readonly { readonly sessionId: string }[]) =>
    listed.map(({ sessionId }) => sessionId);
  expect(ids(await store.listRecorded())).toEqual([theirs]);
  expect(ids(await store.listSessions())).toEqual([ours]);
});

test('a recording that does not say where it belongs is not listed', async () => {
  const folder = join(place.projectsFolder, 'somewhere');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${randomUUID()}.jsonl`), '{"type":"summary"}\n');

  expect(await store.listRecorded()).toEqual([]);
});

test('a recorded session that was gone on with is one of ours', async () => {
  const session = await store.openSession(recorded(randomUUID()));
  await session?.acquireLease(build.owner('first'), build.alive);

  expect(await store.listRecorded()).toEqual([]);
  expect(await store.listSessions()).toHaveLength(1);
});

test('the newest session of a folder is the one that was written to last, whoever wrote it', async () => {
  const older = await own(1_000);
  const theirs = recorded(randomUUID(), place.cwd, 2_000);
  const newest = async () => (await store.newestSession(place.cwd))?.meta.sessionId;

  expect(await newest()).toBe(theirs);

  const session = await store.openSession(older);
  utimesSync(session?.transcriptPath ?? '', 3_000, 3_000);
  expect(await newest()).toBe(older);
});

test('sessions of other folders and those that are not kept do not count', async () => {
  recorded(randomUUID(), `${place.cwd}-2`);
  await store.createSession(build.meta(place.cwd, { persistent: false }));

  expect(await store.newestSession(place.cwd)).toBeUndefined();
});
