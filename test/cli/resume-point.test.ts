import { findResumePoint } from '../../src/cli/resume-point';
import type { SessionStore } from '../../src/transcript/store';
import type { TranscriptRecord } from '../../src/transcript/record';
import * as build from '../transcript/builders';

/** A session whose conversation is the chain. */
function sessionOf(chain: readonly TranscriptRecord[]): SessionStore {
  const part: Partial<SessionStore> = {
    meta: build.meta('/project'),
    findRecord: async (uuid) => chain.find((record) => record.uuid === uuid),
    lastLeaf: async () => chain.at(-1)?.uuid ?? null,
    chain: async () => chain,
  };
  return part as SessionStore;
}

const kept = build.user(null, 'kept');
const dropped = build.user(kept.uuid, 'dropped');
const other = build.user(dropped.uuid, 'came in meanwhile');
const nudge = { ...build.user(dropped.uuid, 'go on'), isMeta: true };
const stopped = build.user(dropped.uuid, '[Request interrupted by user]');

test('a message of the session is a place to go on at', async () => {
  expect(await findResumePoint(sessionOf([kept, other]), { at: kept.uuid })).toBe(kept.uuid);
});

test('an unknown message is refused by name', async () => {
  const resuming = findResumePoint(sessionOf([kept]), { at: 'nowhere' });

  await expect(resuming).rejects.toThrow('no message with uuid nowhere');
});

test('the turn that the client drops may hold what the engine and tools have added', async () => {
  const session = sessionOf([kept, dropped, nudge, stopped]);

  const point = { at: kept.uuid, dropsTurn: dropped.uuid };
  expect(await findResumePoint(session, point)).toBe(kept.uuid);
});

test('a message that is not of the dropped turn is not dropped with it', async () => {
  const session = sessionOf([kept, dropped, other]);

  const resuming = findResumePoint(session, { at: kept.uuid, dropsTurn: dropped.uuid });

  await expect(resuming).rejects.toThrow(`Resume rejected by --resume-drops-turn:`);
  await expect(resuming).rejects.toThrow(other.uuid);
});
