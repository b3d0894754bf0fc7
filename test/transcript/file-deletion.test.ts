import { disk, useDisk } from '../../src/disk/disk';
import * as build from './builders';
import { createFilePlace, type FilePlace } from './file-place';

/** A session that has something in every place. */
async function fullSession(place: FilePlace): Promise<string> {
  const store = await place.open();
  const session = await store.createSession(build.meta(place.cwd));
  const lease = await session.acquireLease(build.owner('first'), build.alive);
  await session.append(lease, 'key', [build.user(null)]);
  await session.kept.put(Buffer.from('kept'));
  await session.folder('shells');
  return session.meta.sessionId;
}

/** The process dies at removal number `fatal`, counted from 0. */
function dyingDisk(fatal: number): {
  readonly hasDied: () => boolean;
  readonly restore: () => void;
} {
  let count = 0;
  const whole = disk;
  const restore = useDisk({
    ...whole,
    rm: async (path, options) => {
      if (count++ === fatal) throw new Error('The process died.');
      await whole.rm(path, options);
    },
  });
  return { hasDied: () => count > fatal, restore };
}

test('a deletion that was cut short anywhere is found again, and finished', async () => {
  const place = createFilePlace();
  let cuts = 0;

  for (let hasDied = true; hasDied; cuts += 1) {
    const sessionId = await fullSession(place);
    const dying = dyingDisk(cuts);
    const first = await (await place.open()).openSession(sessionId);
    await first?.delete().catch(() => undefined);
    dying.restore();
    hasDied = dying.hasDied();
    const again = await (await place.open()).openSession(sessionId);
    expect(again !== undefined).toBe(hasDied);
    await again?.delete();
    expect(await (await place.open()).openSession(sessionId)).toBeUndefined();
  }

  expect(cuts).toBeGreaterThan(4);
  expect(await (await place.open()).listSessions()).toEqual([]);
  await place.dispose();
});
