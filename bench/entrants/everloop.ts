import { folderBytes } from '../engines/folder-bytes';
import { temporalEngine } from '../engines/temporal-engine';
import type { BenchProcess } from '../../src/bench/bench-process';
import { BenchSession } from '../../src/bench/bench-session';
import { pollersOf, untilPolled } from '../../src/bench/polling';
import type { Rig } from '../../src/bench/rig';
import { readVersion } from '../../src/cli/version';
import type { Agent, Entrant } from './entrant';

interface Begun {
  readonly session: BenchSession;
  readonly messageId: string;
}

/** This product: sessions of the background Worker of the rig's home folder. */
export function everloopEntrant(rig: Rig): Entrant {
  const begun = new Map<string, Begun>();
  const requireBegun = (id: string): Begun => {
    const found = begun.get(id);
    if (found === undefined) throw new Error(`No session was begun for ${id}.`);
    return found;
  };
  const closed = async (id: string): Promise<null> => {
    const { session, messageId } = requireBegun(id);
    await session.answered(messageId);
    await session.closed();
    return null;
  };
  const agentOf = (worker: BenchProcess): Agent => ({
    pid: worker.pid,
    async run({ id }) {
      const session = await BenchSession.create(rig);
      const messageId = await session.submit('Read on.', { isLast: true });
      begun.set(id, { session, messageId });
      return closed(id);
    },
    resume: ({ id }) => closed(id),
    kill: () => worker.kill(),
    stop: () => worker.stop(),
  });
  return {
    name: 'everloop',
    versions: `everloop ${readVersion()}`,
    engine: temporalEngine(rig, {
      workflowIdOf(id) {
        const { session, messageId } = requireBegun(id);
        return session.queryId(messageId);
      },
      besideBytes: (id) => folderBytes(rig.home, requireBegun(id).session.store.meta.sessionId),
    }),
    mostTurns: null,
    hasTools: true,
    async start() {
      const known = await pollersOf(rig, rig.host.backgroundQueue);
      const worker = rig.everloop('worker');
      await worker.orExplain(untilPolled(rig, rig.host.backgroundQueue, known));
      return agentOf(worker);
    },
  };
}
