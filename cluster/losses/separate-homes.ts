import { readdirSync, readlinkSync } from 'node:fs';
import type { Checked } from '../checked';
import type { ClusterWorker } from '../cluster-worker';
import type { Stage } from './stage';

export function separateHomes({ options: { cluster } }: Stage): Checked {
  return {
    claim: 'the Workers have home folders of their own, and no file of one is open in another',
    async look() {
      const { workers } = cluster;
      const shared = workers.flatMap((worker) =>
        workers
          .filter((other) => other !== worker)
          .flatMap(({ folder }) => openIn(worker).filter((file) => file.startsWith(`${folder}/`))),
      );
      if (shared.length > 0) throw new Error(`Open in another Worker: ${shared.join(', ')}`);
      return workers.map(({ folder }) => folder).join(', ');
    },
  };
}

/** Paths of the files that it has open. Linux alone tells. */
function openIn({ pid }: ClusterWorker): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync(`/proc/${pid}/fd`).flatMap((number) => {
    try {
      return [readlinkSync(`/proc/${pid}/fd/${number}`)];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}
