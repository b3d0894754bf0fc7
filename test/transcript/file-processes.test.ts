// Needs bash and Linux or macOS signals; starts processes of its own.
import { readFileSync } from 'node:fs';
import { checkTranscript } from '../../src/transcript/check-transcript';
import type { SessionStore } from '../../src/transcript/store';
import * as build from './builders';
import { Child } from './child';
import { createFilePlace, type FilePlace } from './file-place';

let place: FilePlace;
let session: SessionStore;
let children: Child[];

beforeEach(async () => {
  place = createFilePlace();
  session = await (await place.open()).createSession(build.meta(place.cwd));
  children = [];
});

afterEach(async () => {
  await Promise.all(children.map((child) => child.end()));
  await place.dispose();
});

function start(
  run: 'acquire' | 'append_for_ever' | 'append_until_full' | 'follow',
  limits?: string,
) {
  const child = new Child(limits);
  children.push(child);
  const { home, projectsFolder } = place;
  child.start({ run, home, projectsFolder, sessionId: session.meta.sessionId });
  return child;
}

test('a writer that is stopped, fenced off and woken up does no harm', async () => {
  const acknowledged: string[] = [];

  for (let round = 0; round < 6; round += 1) {
    const zombie = start('append_for_ever');
    await zombie.until((reports) => reports.length > 3 + round);
    zombie.signal('SIGSTOP');
    const lease = await session.acquireLease(build.owner(`parent ${round}`), build.dead);
    const ours = build.chainOf(2, await session.lastLeaf());
    await session.append(lease, `ours ${round}`, ours);
    zombie.signal('SIGCONT');
    await zombie.until((reports) => reports.at(-1)?.type === 'failed');
    await session.releaseLease(lease);

    expect(zombie.of('failed')[0]).toMatchObject({ code: 'lease_stale' });
    expect(await session.lastLeaf()).toBe(ours[1]!.uuid);
    acknowledged.push(...zombie.of('appended').map((report) => report.uuid), ...build.uuids(ours));
  }

  const context = new Set(build.uuids(await session.chain((await session.lastLeaf())!)));
  expect(acknowledged.filter((uuid) => !context.has(uuid))).toEqual([]);
  expect(await checkTranscript(session.transcriptPath)).toEqual([]);
});

test('of two processes that want the lease one gets it', async () => {
  const racers = [start('acquire'), start('acquire')];

  await Promise.all(racers.map((racer) => racer.until((reports) => reports.length > 0)));

  const reports = racers.flatMap((racer) => racer.reports);
  expect(reports.map((report) => report.type).sort()).toEqual(['acquired', 'failed']);
  expect(racers.flatMap((racer) => racer.of('failed'))[0]).toMatchObject({ code: 'lease_held' });
});

test('a full disk leaves no half line, says so, and what fits afterwards is written', async () => {
  const child = start('append_until_full', 'ulimit -f 64');

  await child.until((reports) => reports.at(-1)?.type === 'failed');

  const failed = child.of('failed')[0]!;
  expect(failed.code).toBe('no_space');
  expect(failed.message).toContain(session.transcriptPath);
  expect(failed.message).toContain('Free space');
  const written = child.of('appended').map((report) => report.uuid);
  expect(readFileSync(session.transcriptPath, 'utf8').split('\n')).toHaveLength(written.length + 1);
  expect(build.uuids(await session.chain(written.at(-1)!))).toEqual(written);
  expect(await checkTranscript(session.transcriptPath)).toEqual([]);
});

test('a follower in another process is told of an entry, long before it would look again', async () => {
  const lease = await session.acquireLease(build.owner('parent'), build.alive);
  const child = start('follow');
  await child.until((reports) => reports.length > 0);
  const delaysMs: number[] = [];

  for (let attempt = 0; attempt < 50; attempt += 1) {
    const atMs = performance.timeOrigin + performance.now();
    await session.log.append(lease, [build.retry(attempt)]);
    await child.until((reports) => reports.length > attempt + 1);
    delaysMs.push(child.of('followed')[attempt]!.atMs - atMs);
  }

  const median = delaysMs.sort((a, b) => a - b)[25]!;
  expect(child.of('followed').map((report) => report.attempt)).toEqual([...Array(50).keys()]);
  // It looks once a second; being told takes a few milliseconds.
  expect(median).toBeLessThan(500);
});
