import { SUSPECTED_AFTER_MS } from '../../recovery/liveness';
import type { TranscriptStore } from '../../transcript/store';
import type { ListedWorker, WorkerRegister } from '../../transcript/worker-register';
import { CliError } from '../cli-error';

/** Fails: CliError where only one host has the store. */
export function requireWorkspaces({ workers, place }: TranscriptStore): WorkerRegister {
  if (workers !== undefined) return workers;
  throw new CliError(
    `The store at ${place} is of this host alone, so its sessions have one place to run. Workspaces need a store in Postgres: set EVERLOOP_STORE (docs/many-machines.md).`,
  );
}

/** By its last word: one that was killed a moment ago still counts. */
export const isLiving = ({ hasLeft, silentMs }: ListedWorker): boolean =>
  !hasLeft && silentMs < SUSPECTED_AFTER_MS;
