import { temporalEngine } from '../engines/temporal-engine';
import { BaselineWorker } from '../../src/bench/baseline/baseline-worker';
import { clockMs } from '../../src/bench/clock';
import type { Rig } from '../../src/bench/rig';
import type { Entrant } from './entrant';

/** The least that a turn by reference can cost on this server. Its requests are as large as those of `bodyBytes`,
 *  which says what another entrant has sent in a run of so many calls. */
export function emptyLoopEntrant(
  rig: Rig,
  bodyBytes: (calls: number) => readonly number[],
): Entrant {
  const workflowIds = new Map<string, string>();
  const workflowIdOf = (id: string): string => workflowIds.get(id) ?? id;
  return {
    name: 'empty loop by reference',
    versions: `everloop's own measure`,
    engine: temporalEngine(rig, { workflowIdOf, besideBytes: () => 0 }),
    mostTurns: null,
    hasTools: false,
    async start() {
      const worker = await BaselineWorker.start(rig);
      return {
        pid: worker.pid,
        async run({ id, calls }) {
          const workflowId = await worker.run(calls - 1, bodyBytes(calls));
          workflowIds.set(id, workflowId);
          await rig.connected.client.workflow.getHandle(workflowId).result();
          return null;
        },
        resume: () => Promise.reject(new Error('The empty loop is not killed.')),
        async kill() {
          process.kill(worker.pid, 'SIGKILL');
          return clockMs();
        },
        stop: async () => worker.stop(),
      };
    },
  };
}
