import type { Client } from '@temporalio/client';
import { createServedSessions, type ServedSessions } from './activities/served-sessions';
import { livenessIn } from './recovery/liveness';
import { announce, type Presence } from './recovery/presence';
import { beginPulse, type Pulse, type PulseListener } from './recovery/pulse';
import { rescueOrphans } from './recovery/rescue';
import { servingQueueOf } from './recovery/serving-queue';
import { createRunNotes, type RunNotes } from './recovery/run-notes';
import { RunningAttempts } from './recovery/running-attempts';
import { watchWorkers } from './recovery/worker-watch';
import { sessionWorkflowId } from './transcript/place';
import type { LeaseOwner, TranscriptStore } from './transcript/store';
import type { ServedWorkspace } from './transcript/worker-register';

/** This process as others of its home see it: it can be asked whether it lives, holds leases of sessions, and notes
 *  what it runs, so that somebody can give that up for it. */
export interface ServingProcess {
  readonly owner: LeaseOwner;
  readonly sessions: ServedSessions;
  readonly notes: RunNotes;
  /** Gives up what dead processes left. */
  rescue(): Promise<void>;
  /** Does so from now on whenever one dies, and then tells. Returns what ends it. */
  watch(onLoss?: () => void): () => void;
  /** Whether an attempt for the session runs here. */
  runs(sessionId: string): boolean;
  /** Gives up its leases and is gone. */
  leave(): Promise<void>;
}

export interface ServingOptions {
  readonly home: string;
  /** This host, as other ones know it. */
  readonly host: string;
  readonly store: TranscriptStore;
  readonly client: Client;
  /** Whose background sessions it serves; null: those of none, and it lets go of no session that others ask for. */
  readonly workspace: ServedWorkspace | null;
  /** An Activity came for a session that another living process is the writer of. */
  readonly onServedElsewhere?: (sessionWorkflowId: string) => void;
  /** The host is to take nothing new, or takes what comes again. Told before this has begun where it is drained. */
  readonly onDrain?: (isDrained: boolean) => void;
}

export async function beginServing(options: ServingOptions): Promise<ServingProcess> {
  const { home, host, store, client, workspace, onServedElsewhere, onDrain } = options;
  const presence = await announce(host);
  const { owner } = presence;
  const isAlive = livenessIn(store, host);
  const running = new RunningAttempts();
  const sessions = createServedSessions({
    store,
    owner,
    isAlive,
    ...(onServedElsewhere && { onServedElsewhere }),
    ...(workspace && { queueOf: queuesIn(workspace, options) }),
  });
  let isDrained = false;
  const pulse = await pulseOf(presence, options, {
    load: () => ({ running: running.count, isDrained }),
    onOrders(orders) {
      // One that serves a command goes on: somebody sits there.
      const isNews = workspace !== null && orders.isDrained !== isDrained;
      if (isNews) onDrain?.((isDrained = orders.isDrained));
      for (const sessionId of workspace === null ? [] : orders.wanted) {
        if (running.has(sessionId)) continue;
        sessions.release(sessionWorkflowId(store.place, sessionId)).catch(() => undefined);
      }
    },
  });
  const notes = running.counted(createRunNotes(home, owner));
  const rescue = serially(() => rescueOrphans({ client, home, isAlive }));
  return {
    owner,
    sessions,
    notes,
    rescue,
    watch(onLoss) {
      const watching = watchWorkers({ home, self: owner }, () => void rescue().then(onLoss));
      return () => watching.stop();
    },
    runs: (sessionId) => running.has(sessionId),
    async leave() {
      await sessions.releaseAll();
      notes.clear();
      await pulse?.stop();
      presence.close();
    },
  };
}

function queuesIn(workspace: ServedWorkspace, { store: { workers }, host }: ServingOptions) {
  return workers && ((holder: LeaseOwner) => servingQueueOf(holder, { host, workspace }, workers));
}

/** Before there is a lease: who holds one and was never heard of counts as dead on other hosts. */
async function pulseOf(
  presence: Presence,
  { store: { workers }, workspace }: Pick<ServingOptions, 'store' | 'workspace'>,
  listener: PulseListener,
): Promise<Pulse | null> {
  if (workers === undefined) return null;
  try {
    return await beginPulse(workers, { owner: presence.owner, workspace }, listener);
  } catch (error) {
    presence.close();
    throw error;
  }
}

/** One at a time, and at most one more that waits: who dies while a rescue runs is seen by the next. */
function serially(work: () => Promise<unknown>): () => Promise<void> {
  let last: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;
  return () => {
    waiting ??= last = last.then(async () => {
      waiting = null;
      await work();
    });
    return waiting;
  };
}
