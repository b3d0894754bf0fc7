import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import {
  checkTranscript,
  nearestLeaf,
  repairTranscript,
} from '../../src/transcript/check-transcript';
import type { TranscriptRecord } from '../../src/transcript/record';
import type { SessionStore } from '../../src/transcript/store';
import * as build from './builders';
import { createFilePlace, type FilePlace } from './file-place';

let place: FilePlace;
let session: SessionStore;
let records: TranscriptRecord[];
let path: string;

/** Three appends: one record, two, three. */
beforeEach(async () => {
  place = createFilePlace();
  session = await (await place.open()).createSession(build.meta(place.cwd));
  const lease = await session.acquireLease(build.owner('writer'), build.alive);
  records = build.chainOf(6);
  await session.append(lease, 'one', records.slice(0, 1));
  await session.append(lease, 'two', records.slice(1, 3));
  await session.append(lease, 'three', records.slice(3));
  path = session.transcriptPath;
});

afterEach(() => place.dispose());

const text = () => readFileSync(path, 'utf8');
const lineList = () => text().trimEnd().split('\n');
const write = (lines: string[]) => writeFileSync(path, lines.map((line) => `${line}\n`).join(''));
const types = async () => (await checkTranscript(path)).map((finding) => finding.type);

async function reopen(): Promise<SessionStore> {
  return (await (await place.open()).openSession(session.meta.sessionId))!;
}

test('a crash at any byte of an append leaves the one before, and the next holder goes on from there', async () => {
  const whole = readFileSync(path);
  const start = Buffer.byteLength(`${lineList().slice(0, 3).join('\n')}\n`);
  const reader = await reopen();
  const copy = `${path}.copy`;
  copyFileSync(path, copy);

  for (let size = start; size < whole.length - 1; size += 1) {
    copyFileSync(copy, path);
    truncateSync(path, size);

    expect(await reader.lastLeaf()).toBe(records[2]!.uuid);
    expect(await reader.findAppended('three')).toBeUndefined();
  }

  const sizes = [start + 1, start + 100, whole.length - 2];
  for (const size of [
    ...sizes,
    ...lineEnds(whole).filter((end) => end > start && end < whole.length),
  ]) {
    writeFileSync(path, whole.subarray(0, size));
    const lease = await reader.acquireLease(build.owner(`next ${size}`), build.dead);
    const again = await reader.append(lease, 'three', records.slice(3));

    expect(build.uuids(again)).toEqual(build.uuids(records.slice(3)));
    expect(text()).toBe(whole.toString());
    expect(await checkTranscript(path)).toEqual([]);
  }
});

function lineEnds(bytes: Buffer): number[] {
  return [...bytes.entries()].flatMap(([index, byte]) => (byte === 10 ? [index + 1] : []));
}

test('a transcript cut at any record can be continued', async () => {
  const whole = readFileSync(path);
  const complete = [0, 1, 1, 3, 3, 3, 6];

  for (const [count, end] of [0, ...lineEnds(whole)].entries()) {
    writeFileSync(path, whole.subarray(0, end));
    const reader = await reopen();
    const lease = await reader.acquireLease(build.owner(`next ${count}`), build.dead);

    const leaf = await reader.lastLeaf();
    const next = build.user(leaf);
    await reader.append(lease, 'next', [next]);

    expect(leaf).toBe(records[complete[count]! - 1]?.uuid ?? null);
    expect(await reader.chain(next.uuid)).toHaveLength(complete[count]! + 1);
  }
});

test('lines at the end that a power cut has garbled are cut off, and those in the middle stay', async () => {
  const lines = lineList();
  const garbled = `\0\0\0${lines[3]!.slice(3)}`;
  write([lines[0]!, garbled, ...lines.slice(1, 3), garbled, garbled]);

  const next = await reopen();
  await next.acquireLease(build.owner('next'), build.dead);

  expect(lineList()).toEqual([lines[0], garbled, ...lines.slice(1, 3)]);
  expect(await next.lastLeaf()).toBe(records[2]!.uuid);
});

test('what is cut off is kept', async () => {
  truncateSync(path, readFileSync(path).length - 10);
  const torn = lineList().slice(3).join('\n');

  await (await reopen()).acquireLease(build.owner('next'), build.dead);

  const folder = join(dirname(await session.folder('calls')), 'torn');
  expect(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual([
    torn,
  ]);
});

test('half a line in the log and the ledger is cut off by the next holder', async () => {
  const folder = dirname(await session.folder('calls'));
  appendFileSync(join(folder, 'ledger.jsonl'), '{"type":"intent","call":{"id":"t');
  appendFileSync(join(folder, 'log.jsonl'), '{"generation":"ab"}\n{"at":"2026');
  const next = await reopen();
  const lease = await next.acquireLease(build.owner('next'), build.dead);
  const call = { id: 'call', recordId: 'record' };

  await next.ledger.recordIntent(lease, call, { tool: 'Read', attempt: 1, at: '' });
  await next.log.append(lease, [build.retry(7)]);

  expect(await (await reopen()).ledger.find(call)).toMatchObject({ intent: { tool: 'Read' } });
  const [first] = await build.take(next.log.follow(null, new AbortController().signal), 1);
  expect(build.attemptOf(first!.entry)).toBe(7);
});

test('half a line behind our own last entry is cut off before the next one', async () => {
  const lease = await session.acquireLease(build.owner('next'), build.dead);
  const folder = dirname(await session.folder('calls'));
  await session.log.append(lease, [build.retry(1)]);
  appendFileSync(join(folder, 'log.jsonl'), '{"at":"2026');

  await session.log.append(lease, [build.retry(2)]);

  const followed = session.log.follow(null, new AbortController().signal);
  const entries = await build.take(followed, 2);
  expect(entries.map(({ entry }) => build.attemptOf(entry))).toEqual([1, 2]);
  const text = readFileSync(join(folder, 'log.jsonl'), 'utf8');
  expect(text.trimEnd().split('\n')).toHaveLength(3);
});

test('a sound transcript has no findings and is not touched', async () => {
  const before = text();

  expect(await checkTranscript(path)).toEqual([]);
  expect(await repairTranscript(path)).toEqual({ steps: [], keptIn: null });
  expect(text()).toBe(before);
});

describe('each damage is named, repaired, and what was there is kept', () => {
  /** name, damage, findings, records that are left in the last context */
  test.each<[string, (lines: string[]) => string[], string[], number]>([
    [
      'garbage',
      (lines) => lines.with(2, 'garbage'),
      ['incomplete_batch', 'unparsable_line', 'missing_parent'],
      5,
    ],
    ['a lost record', (lines) => lines.toSpliced(0, 1), ['missing_parent'], 5],
    [
      'a lost record of an append',
      (lines) => lines.toSpliced(4, 1),
      ['incomplete_batch', 'incomplete_batch', 'missing_parent'],
      5,
    ],
    ['a record twice', (lines) => [...lines, lines[0]!], ['duplicate_uuid'], 6],
    [
      'half a line before a record',
      (lines) => lines.with(0, `{"type":"us${lines[0]!}`),
      ['unparsable_line', 'missing_parent'],
      6,
    ],
    ['a torn append', (lines) => lines.slice(0, 5), ['torn_batch', 'torn_batch'], 3],
  ])('%s', async (_name, damage, findings, left) => {
    const before = lineList();
    write(damage(before));
    expect(await types()).toEqual(findings);

    const repair = await repairTranscript(path);

    expect(repair.steps.length).toBeGreaterThan(0);
    expect(await checkTranscript(path)).toEqual([]);
    const reader = await reopen();
    expect(await reader.chain((await reader.lastLeaf())!)).toHaveLength(left);
    const everything = text() + readFileSync(repair.keptIn!, 'utf8');
    for (const line of damage(before)) expect(everything).toContain(line);
  });

  test('half a line at the end', async () => {
    truncateSync(path, readFileSync(path).length - 20);
    expect(await types()).toEqual(['torn_batch', 'torn_batch', 'torn_line']);

    await repairTranscript(path);

    expect(await checkTranscript(path)).toEqual([]);
    expect(await (await reopen()).lastLeaf()).toBe(records[2]!.uuid);
  });

  test('a circle', async () => {
    const [first, ...rest] = lineList();
    write([first!.replace('"parentUuid":null', `"parentUuid":"${records[5]!.uuid}"`), ...rest]);
    await expect((await reopen()).chain(records[5]!.uuid)).rejects.toMatchObject({
      code: 'damaged',
    });
    expect(await types()).toEqual(['circular_chain']);

    await repairTranscript(path);

    expect(await (await reopen()).chain(records[5]!.uuid)).toHaveLength(6);
  });

  test('a finding says where', async () => {
    appendFileSync(path, 'garbage');

    const [finding] = await checkTranscript(path);

    expect(finding).toMatchObject({ type: 'torn_line', uuid: null });
    expect(finding!.message).toContain(`byte ${readFileSync(path).length - 'garbage'.length}`);
  });
});

test('a record that only the ledger knows is reported', async () => {
  const lease = await (await reopen()).acquireLease(build.owner('next'), build.dead);
  const next = await reopen();
  for (const recordId of [records[0]!.uuid, 'lost']) {
    await next.ledger.recordResult(lease, { id: 'call', recordId }, build.callResult('done'));
  }
  const ledgerPath = join(dirname(await session.folder('calls')), 'ledger.jsonl');

  const findings = await checkTranscript(path, { ledgerPath });

  expect(findings).toMatchObject([{ type: 'ledger_record_missing', uuid: 'lost' }]);
});

test('for a leaf that the file does not have, the last whole context is found', async () => {
  write(lineList().slice(0, 3));

  expect(await nearestLeaf(path, records[5]!.uuid)).toMatchObject({
    isIntact: false,
    leaf: records[2]!.uuid,
  });
  expect(await nearestLeaf(path, records[1]!.uuid)).toMatchObject({
    isIntact: true,
    leaf: records[1]!.uuid,
  });
});
