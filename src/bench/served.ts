import type { BenchProcess } from './bench-process';
import { pollersOf, untilPolled } from './polling';
import type { Rig } from './rig';

/** Does something while a fresh background Worker polls. */
export async function whileServed<T>(
  rig: Rig,
  act: (worker: BenchProcess) => Promise<T>,
): Promise<T> {
  const queue = rig.host.backgroundQueue;
  const known = await pollersOf(rig, queue);
  const worker = rig.everloop('worker');
  try {
    await worker.orExplain(untilPolled(rig, queue, known));
    return await act(worker);
  } finally {
    await worker.stop();
  }
}
