import { randomUUID } from 'node:crypto';
import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { sessionWorkflowId, storeHash } from '../../src/transcript/place';
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

function lines(...objects: object[]): string {
  return objects.map((one) => `${JSON.stringify(one)}\n`).join('');
}

/** A transcript as Claude Code leaves it, with lines of types that are not ours. */
function recordElsewhere(text: (records: ReturnType<typeof build.chainOf>) => string) {
  const sessionId = randomUUID();
  const records = build.chainOf(2).map((record) => ({ ...record, cwd: place.cwd }));
  const path = join(place.projectsFolder, '-some-folder', `${sessionId}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text(records));
  return { sessionId, records, path };
}

test('a transcript lies where Claude Code looks for it, everything else in the home folder', async () => {
  const meta = build.meta(place.cwd);

  const session = await store.createSession(meta);

  const key = place.cwd.replace(/[^A-Za-z0-9]/g, '-');
  expect(session.transcriptPath).toBe(join(place.projectsFolder, key, `${meta.sessionId}.jsonl`));
  expect(await session.folder('calls')).toBe(
    join(place.home, 'sessions', `${storeHash(store.place)}-${meta.sessionId}`, 'calls'),
  );
});

test('two places give one session id two Workflow ids', () => {
  expect(sessionWorkflowId('/a', 'id')).not.toBe(sessionWorkflowId('/b', 'id'));
  expect(sessionWorkflowId('/a', 'id')).toMatch(/^[0-9a-f]{8}-id$/);
});

test('a session that does not persist leaves nothing among the projects', async () => {
  const session = await store.createSession(build.meta(place.cwd, { persistent: false }));
  const lease = await session.acquireLease(build.owner('a'), build.alive);

  await session.append(lease, 'key', [build.user(null)]);

  expect(session.transcriptPath.startsWith(place.home)).toBe(true);
  expect(readdirSync(place.projectsFolder)).toEqual([]);
});

test('nobody else may read what the store writes', async () => {
  const session = await store.createSession(build.meta(place.cwd));
  const lease = await session.acquireLease(build.owner('a'), build.alive);
  await session.append(lease, 'key', [build.user(null)]);
  await session.log.append(lease, [build.retry(1)]);
  await session.writeDocument(lease, 'state', {});
  await session.putMessage(build.message('hello'));

  const paths = [place.home, place.projectsFolder].flatMap((root) =>
    readdirSync(root, { recursive: true, encoding: 'utf8' }).map((name) => join(root, name)),
  );

  const open = paths.filter((path) => (statSync(path).mode & 0o077) !== 0);
  expect(paths.length).toBeGreaterThan(8);
  expect(open).toEqual([]);
});

test('a session whose transcript was deleted gives its id back', async () => {
  const meta = build.meta(place.cwd);
  const session = await store.createSession(meta);
  const lease = await session.acquireLease(build.owner('a'), build.alive);
  await session.append(lease, 'key', [build.user(null)]);
  await session.log.append(lease, [build.retry(1)]);
  await session.releaseLease(lease);
  rmSync(session.transcriptPath);

  const again = await (await place.open()).createSession(meta);

  expect(await again.lastLeaf()).toBeNull();
});

test('a session that has not begun keeps its id', async () => {
  const meta = build.meta(place.cwd);
  await (await store.createSession(meta)).putMessage(build.message('hello'));

  const again = (await place.open()).createSession(meta);

  await expect(again).rejects.toMatchObject({ code: 'session_exists' });
});

test('a session that Claude Code recorded can be read and continued', async () => {
  const { sessionId, records, path } = recordElsewhere((both) =>
    lines({ type: 'summary', summary: 'A talk' }, ...both),
  );

  const session = (await store.openSession(sessionId))!;
  const lease = await session.acquireLease(build.owner('a'), build.alive);
  const next = build.user(await session.lastLeaf());
  await session.append(lease, 'key', [next]);

  expect(session.meta).toMatchObject({ sessionId, cwd: place.cwd, persistent: true });
  expect(session.transcriptPath).toBe(path);
  expect(build.uuids(await session.chain(next.uuid))).toEqual(build.uuids([...records, next]));
  expect((await (await place.open()).openSession(sessionId))?.meta).toEqual(session.meta);
});

test('lines of types that are not ours are stepped over, and links of the chain among them count', async () => {
  const { sessionId, records } = recordElsewhere(([first, second]) => {
    const attachment = { type: 'attachment', uuid: 'attachment', parentUuid: first!.uuid };
    return lines(
      first!,
      { type: 'queue-operation', operation: 'enqueue' },
      attachment,
      { ...second!, parentUuid: 'attachment' },
      { type: 'custom-title', customTitle: 'A talk' },
    );
  });

  const session = (await store.openSession(sessionId))!;

  expect(await session.lastLeaf()).toBe(records[1]!.uuid);
  expect(build.uuids(await session.chain(records[1]!.uuid))).toEqual(build.uuids(records));
});

test('a last line without newline is a record if it is whole', async () => {
  const { sessionId, records, path } = recordElsewhere((both) => lines(...both).trimEnd());
  const session = (await store.openSession(sessionId))!;
  const lease = await session.acquireLease(build.owner('a'), build.alive);

  const next = build.user(records[1]!.uuid);
  await session.append(lease, 'key', [next]);

  expect(readFileSync(path, 'utf8').trimEnd().split('\n')).toHaveLength(3);
  expect(await session.chain(next.uuid)).toHaveLength(3);
});

test('what another program appends meanwhile is seen', async () => {
  const { sessionId, records, path } = recordElsewhere((both) => lines(...both));
  const session = (await store.openSession(sessionId))!;
  const lease = await session.acquireLease(build.owner('a'), build.alive);
  await session.append(lease, 'ours', [build.user(records[1]!.uuid)]);

  const theirs = build.user(await session.lastLeaf());
  appendFileSync(path, lines(theirs, { type: 'tag', tag: 'x' }));
  const ours = build.user(await session.lastLeaf());
  await session.append(lease, 'after', [ours]);

  expect(ours.parentUuid).toBe(theirs.uuid);
  expect(await session.chain(ours.uuid)).toHaveLength(5);
});

test('a hundred followers each get every entry', async () => {
  const session = await store.createSession(build.meta(place.cwd));
  const lease = await session.acquireLease(build.owner('a'), build.alive);
  const { signal } = new AbortController();
  const followers = Array.from({ length: 100 }, () =>
    build.take(session.log.follow(null, signal), 50),
  );

  for (let n = 0; n < 50; n += 1) await session.log.append(lease, [build.retry(n)]);

  for (const entries of await Promise.all(followers)) {
    expect(entries.map(({ entry }) => build.attemptOf(entry))).toEqual([...Array(50).keys()]);
  }
});
