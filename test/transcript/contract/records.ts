import { randomUUID } from 'node:crypto';
import * as build from '../builders';
import type { Given } from './given';

export function describeRecords(given: Given): void {
  describe('records', () => {
    test('an empty transcript has no leaf', async () => {
      expect(await given.session.lastLeaf()).toBeNull();
    });

    test('what was appended is read by every instance', async () => {
      const other = await given.elsewhere();
      await other.lastLeaf();
      const records = build.chainOf(3);

      await given.session.append(given.lease, 'key', records);

      for (const reader of [given.session, other]) {
        expect(await reader.lastLeaf()).toBe(records[2]!.uuid);
        expect(await reader.findRecord(records[1]!.uuid)).toMatchObject(records[1]!);
        expect(await reader.chain(records[2]!.uuid)).toMatchObject(records);
      }
    });

    test('what the engine put into the conversation is part of it for every instance', async () => {
      const prompt = build.user(null);
      const nudge = build.attachment(prompt.uuid);
      await given.session.append(given.lease, 'key', [prompt, nudge]);

      const other = await given.elsewhere();

      expect(await other.chain(nudge.uuid)).toMatchObject([prompt, nudge]);
    });

    test('what a summary took the place of is still there for whoever asks', async () => {
      const old = build.chainOf(3);
      await given.session.append(given.lease, 'old', old);
      const boundary = { ...build.boundary(null), logicalParentUuid: old[2]!.uuid };
      const next = build.user(boundary.uuid);
      await given.session.append(given.lease, 'summary', [boundary, next]);

      for (const reader of [given.session, await given.elsewhere()]) {
        expect(build.uuids(await reader.chain(next.uuid))).toEqual([boundary.uuid, next.uuid]);
        expect(await reader.findRecord(old[1]!.uuid)).toMatchObject(old[1]!);
        expect(build.uuids(await reader.findAppended('old'))).toEqual(build.uuids(old));
        expect(build.uuids(await reader.chain(old[2]!.uuid))).toEqual(build.uuids(old));
        expect(await reader.lastLeaf()).toBe(next.uuid);
      }
    });

    test('a record behind a summary cannot be written again', async () => {
      const [old] = build.chainOf(1);
      await given.session.append(given.lease, 'old', [old!]);
      const boundary = { ...build.boundary(null), logicalParentUuid: old!.uuid };
      await given.session.append(given.lease, 'summary', [boundary]);

      const again = given.session.append(given.lease, 'other', [old!]);

      await expect(again).rejects.toMatchObject({ code: 'record_exists' });
    });

    test('the same key writes once and answers the same', async () => {
      const first = await given.session.append(given.lease, 'key', build.chainOf(2));

      const again = await given.session.append(given.lease, 'key', build.chainOf(3));

      expect(build.uuids(again)).toEqual(build.uuids(first));
      expect(await given.session.lastLeaf()).toBe(first[1]!.uuid);
    });

    test('of appends with one key at once, one writes', async () => {
      const attempts = Array.from({ length: 5 }, () =>
        given.session.append(given.lease, 'key', build.chainOf(2)),
      );

      const written = await Promise.all(attempts);

      expect(new Set(written.map((records) => build.uuids(records).join())).size).toBe(1);
    });

    test('an append is found by its key', async () => {
      const records = await given.session.append(given.lease, 'key', build.chainOf(2));

      expect(build.uuids(await (await given.elsewhere()).findAppended('key'))).toEqual(
        build.uuids(records),
      );
      expect(await given.session.findAppended('other')).toBeUndefined();
    });

    test('a uuid is given once', async () => {
      const record = build.user(null);
      await given.session.append(given.lease, 'key', [record]);

      const again = given.session.append(given.lease, 'other', [record]);

      await expect(again).rejects.toMatchObject({ code: 'record_exists' });
    });

    test('a fork is another leaf of the same transcript', async () => {
      const trunk = build.chainOf(3);
      const branch = build.user(trunk[0]!.uuid);

      await given.session.append(given.lease, 'trunk', trunk);
      await given.session.append(given.lease, 'branch', [branch]);

      expect(build.uuids(await given.session.chain(branch.uuid))).toEqual([
        trunk[0]!.uuid,
        branch.uuid,
      ]);
      expect(await given.session.chain(trunk[2]!.uuid)).toHaveLength(3);
    });

    test('a context begins at the last compact boundary', async () => {
      const before = build.chainOf(3);
      const boundary = build.boundary(before[2]!.uuid);
      const after = build.chainOf(2, boundary.uuid);

      await given.session.append(given.lease, 'key', [...before, boundary, ...after]);

      expect(build.uuids(await given.session.chain(after[1]!.uuid))).toEqual(
        build.uuids([boundary, ...after]),
      );
    });

    test('side chains move no leaf, and can be read', async () => {
      const main = build.user(null);
      const side = { ...build.user(main.uuid), isSidechain: true };

      await given.session.append(given.lease, 'key', [main, side]);

      expect(await given.session.lastLeaf()).toBe(main.uuid);
      expect(await given.session.chain(side.uuid)).toHaveLength(2);
    });

    test('a missing link is named', async () => {
      const orphan = build.user(randomUUID());
      await given.session.append(given.lease, 'key', [orphan]);

      const chain = given.session.chain(orphan.uuid);

      await expect(chain).rejects.toMatchObject({ code: 'record_missing' });
      await expect(chain).rejects.toThrow(orphan.parentUuid!);
    });

    test('text of any script comes back as it was', async () => {
      const text = 'line\nbreak \u2028 \0 "quote" 日本語 🙂'.repeat(1_000);
      const record = build.user(null, text);

      await given.session.append(given.lease, 'key', [record]);

      expect(await (await given.elsewhere()).findRecord(record.uuid)).toMatchObject(record);
    });
  });
}
