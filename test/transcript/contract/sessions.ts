import { randomUUID } from 'node:crypto';
import * as build from '../builders';
import type { Given } from './given';

export function describeSessions(given: Given): void {
  describe('sessions', () => {
    test('a created session is found by another instance, with its meta', async () => {
      const seen = await given.elsewhere();

      expect(seen.meta).toEqual(given.session.meta);
      expect(seen.transcriptPath).toBe(given.session.transcriptPath);
    });

    test('an id is given once', async () => {
      const again = given.store.createSession(given.session.meta);

      await expect(again).rejects.toMatchObject({ code: 'session_exists' });
    });

    test('an unknown id is undefined', async () => {
      expect(await given.store.openSession(randomUUID())).toBeUndefined();
    });

    test('a path is no session id', async () => {
      expect(await given.store.openSession('../../etc/passwd')).toBeUndefined();
    });

    test('all sessions are listed', async () => {
      const other = await given.store.createSession(
        build.meta(given.place.cwd, { persistent: false }),
      );

      const listed = await given.store.listSessions();

      const ids = listed.map((meta) => meta.sessionId).sort();
      expect(ids).toEqual([given.session.meta.sessionId, other.meta.sessionId].sort());
    });

    test.each([true, false])('a deleted session is gone (persistent: %s)', async (persistent) => {
      const other = await given.store.createSession(build.meta(given.place.cwd, { persistent }));
      const itsLease = await other.acquireLease(build.owner('first'), build.alive);
      await other.append(itsLease, 'key', [build.user(null)]);

      await other.delete();

      expect(await given.store.openSession(other.meta.sessionId)).toBeUndefined();
      expect(await (await given.place.open()).openSession(other.meta.sessionId)).toBeUndefined();
    });

    test('a deletion may be repeated by another process, and leaves other sessions alone', async () => {
      const other = await given.store.createSession(build.meta(given.place.cwd));
      const itsLease = await other.acquireLease(build.owner('first'), build.alive);
      await other.append(itsLease, 'key', [build.user(null)]);
      const { sessionId } = other.meta;
      const elsewhere = await (await given.place.open()).openSession(sessionId);

      await other.delete();
      await elsewhere?.delete();

      expect(await given.store.listSessions()).toEqual([given.session.meta]);
      await expect(other.append(itsLease, 'later', [build.user(null)])).rejects.toThrow();
      expect(await given.store.openSession(sessionId)).toBeUndefined();
    });

    test('a session weighs what is kept of it', async () => {
      const empty = await given.session.weigh();
      const [text] = [build.user(null)];
      await given.session.append(given.lease, 'key', [text]);
      await given.session.kept.put(Buffer.alloc(10_000));

      const full = await given.session.weigh();

      const { length } = JSON.stringify(text);
      expect(full.transcriptBytes - empty.transcriptBytes).toBeGreaterThanOrEqual(length);
      expect(full.otherBytes - empty.otherBytes).toBeGreaterThanOrEqual(10_000);
    });

    test('the work of a day is claimed once, and that of an earlier day never after it', async () => {
      const other = await given.place.open();

      const claims = await Promise.all(
        [given.store, other].map((store) => store.claimDay('work', '2026-11-22')),
      );

      expect(claims.sort()).toEqual([false, true]);
      expect(await other.claimDay('work', '2026-11-23')).toBe(true);
      expect(await given.store.claimDay('work', '2026-11-22')).toBe(false);
      expect(await given.store.claimDay('other', '2026-11-22')).toBe(true);
    });

    test('a session folder is there when it is named', async () => {
      const folder = await given.session.folder('calls');

      expect(folder).toBe(await (await given.elsewhere()).folder('calls'));
    });
  });
}
