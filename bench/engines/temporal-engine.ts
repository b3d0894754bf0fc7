import type { Rig } from '../../src/bench/rig';
import { readRunChain } from '../../src/bench/run-chain';
import type { Engine } from './engine';

/** The Temporal server of the rig. Its bytes are those of the history, as the server counts them. */
export function temporalEngine(
  rig: Rig,
  of: {
    workflowIdOf(conversationId: string): string;
    besideBytes(conversationId: string): number;
  } = { workflowIdOf: (id) => id, besideBytes: () => 0 },
): Engine {
  return {
    pids: async () => (rig.serverPid === null ? [] : [rig.serverPid]),
    mark: async () => 0,
    async stored(id) {
      const { events, bytes } = await readRunChain(rig.connected.client, of.workflowIdOf(id));
      return { events, bytes, besideBytes: of.besideBytes(id) };
    },
  };
}
