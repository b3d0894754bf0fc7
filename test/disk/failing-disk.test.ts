import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { disk, useDisk, type Disk, type DiskFile } from '../../src/disk/disk';
import { alive, chainOf, dead, meta, owner, uuids } from '../transcript/builders';
import { createFilePlace, type FilePlace } from '../transcript/file-place';

let place: FilePlace;
let repair: () => void = () => undefined;

beforeEach(() => {
  place = createFilePlace();
});

afterEach(async () => {
  repair();
  await place.dispose();
});

/** Lets operations of the disk fail until it is repaired. */
function breakDisk(broken: Partial<Disk>): void {
  const putBack = useDisk({ ...disk, ...broken });
  repair = () => {
    putBack();
    repair = () => undefined;
  };
}

const fail = async (): Promise<never> => {
  throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
};

async function served() {
  const session = await (await place.open()).createSession(meta(place.cwd));
  return { session, lease: await session.acquireLease(owner('one'), dead) };
}

test('a lease of which a failing disk kept us from knowing does not lock us out', async () => {
  const session = await (await place.open()).createSession(meta(place.cwd));
  const sound = disk;
  breakDisk({
    open: async (name, flags, mode): Promise<DiskFile> => {
      const file = await sound.open(name, flags, mode);
      return name.endsWith('leases') ? Object.assign(file, { sync: fail }) : file;
    },
  });
  await expect(session.acquireLease(owner('one'), alive)).rejects.toThrow('EIO');
  repair();

  const lease = await session.acquireLease(owner('one'), alive);

  expect(lease.epoch).toBe(2);
});

test('an append that failed and could not be taken back is not taken for one that worked', async () => {
  const { session, lease } = await served();
  const records = chainOf(2);
  breakDisk({ datasync: fail, truncate: fail });
  await expect(session.append(lease, 'key', records)).rejects.toThrow('EIO');

  await expect(session.findAppended('key')).rejects.toThrow('take back');
  repair();

  expect(await session.findAppended('key')).toBeUndefined();
  expect(uuids(await session.append(lease, 'key', records))).toEqual(uuids(records));
});

test('the rest of an append whose beginning a power cut took is cut off by the next holder', async () => {
  const { session, lease } = await served();
  const [before, ...records] = chainOf(3);
  await session.append(lease, 'before', [before!]);
  const { length } = readFileSync(session.transcriptPath);
  await session.append(lease, 'key', records);
  const bytes = readFileSync(session.transcriptPath);
  writeFileSync(session.transcriptPath, bytes.fill(0, length, length + 40));

  const next = await (await place.open()).openSession(session.meta.sessionId);
  const newLease = await next!.acquireLease(owner('two'), dead);

  expect(uuids(await next!.append(newLease, 'key', records))).toEqual(uuids(records));
  expect(uuids(await next!.chain(records[1]!.uuid))).toEqual(uuids([before!, ...records]));
});

test('a log whose first line a power cut took is followed from the second on', async () => {
  const { session, lease } = await served();
  const entry = { type: 'notice', queryId: 'query', level: 'info', text: 'hello' } as const;
  await session.log.append(lease, [entry]);
  const log = path.join(session.folderPath('calls'), '..', 'log.jsonl');
  writeFileSync(log, readFileSync(log).fill(0, 0, 20));

  const away = new AbortController();
  const seen: unknown[] = [];
  for await (const followed of session.log.follow(null, away.signal)) {
    seen.push(followed.entry);
    away.abort();
  }

  expect(seen).toEqual([entry]);
});
