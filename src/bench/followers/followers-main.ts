import { setTimeout as pause } from 'node:timers/promises';
import { followAhead } from '../../cli/output/live-ahead';
import { mergeLive } from '../../cli/output/live-merge';
import { withoutRepeats } from '../../client/without-repeats';
import { createFileStore } from '../../transcript/files/file-store';
import type { SessionStore } from '../../transcript/store';
import { ageMs } from '../model/stamped-deltas';
import type { FollowerMessage, FollowOrder } from './follower-message';

/** A process of followers, each with a store of its own, as each `everloop attach` has one. */
const LOOK_AGAIN_MS = 5;

const tell = (message: FollowerMessage): void => void process.send?.(message);

async function follow(order: FollowOrder): Promise<void> {
  let waiting = order.followers;
  const delays = Array.from({ length: order.followers }, async () => {
    const delaysMs = await followOne(order, () => {
      waiting -= 1;
      if (waiting === 0) tell({ type: 'following' });
    });
    return delaysMs;
  });
  tell({ type: 'delays', delaysMs: (await Promise.all(delays)).flat() });
}

async function followOne(order: FollowOrder, arrived: () => void): Promise<readonly number[]> {
  const { log } = await openSession(order);
  const leave = new AbortController();
  const entries = withoutRepeats(log.follow(null, leave.signal));
  const delaysMs: number[] = [];
  for await (const item of mergeLive(entries, followAhead(log, leave.signal))) {
    if (item.type === 'live') {
      const delay = ageMs(item.event.event);
      if (delay !== undefined) delaysMs.push(delay);
    } else if (item.followed.entry.type === 'stream_started') {
      arrived();
    } else if (item.followed.entry.type === 'query_ended') {
      leave.abort();
    }
  }
  return delaysMs;
}

async function openSession({
  home,
  projectsFolder,
  sessionId,
}: FollowOrder): Promise<SessionStore> {
  const store = createFileStore({ home, projectsFolder });
  for (;;) {
    const session = await store.openSession(sessionId);
    if (session !== undefined) return session;
    await pause(LOOK_AGAIN_MS);
  }
}

process.once('message', (order: FollowOrder) => void follow(order));
process.once('disconnect', () => process.exit(0));
