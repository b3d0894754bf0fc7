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

    test('a session folder is there when it is named', async () => {
      const folder = await given.session.folder('calls');

      expect(folder).toBe(await (await given.elsewhere()).folder('calls'));
    });
  });
}
