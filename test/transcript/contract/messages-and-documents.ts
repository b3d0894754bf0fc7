import { randomUUID } from 'node:crypto';
import * as build from '../builders';
import type { Given } from './given';

export function describeMessagesAndDocuments(given: Given): void {
  describe('messages and documents', () => {
    test('anybody may leave a message; the first with an id stays', async () => {
      const first = build.message('first');

      await (await given.elsewhere()).putMessage(first);
      await given.session.putMessage({ ...first, content: 'second' });

      expect(await given.session.findMessage(first.id)).toEqual(first);
      expect(await given.session.findMessage(randomUUID())).toBeUndefined();
    });

    test('a document is replaced as a whole, by each holder in turn', async () => {
      await given.session.writeDocument(given.lease, 'state', { turn: 1, keep: 'this' });
      const second = await given.elsewhere();
      const next = await second.acquireLease(build.owner('second'), build.dead);
      expect(await second.readDocument('state')).toEqual({ turn: 1, keep: 'this' });

      await second.writeDocument(next, 'state', { turn: 2 });

      expect(await given.session.readDocument('state')).toEqual({ turn: 2 });
      expect(await given.session.readDocument('other')).toBeUndefined();
    });
  });
}
