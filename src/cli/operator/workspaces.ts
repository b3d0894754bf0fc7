import { SUSPECTED_AFTER_MS } from '../../recovery/liveness';
import type { TranscriptStore } from '../../transcript/store';
import type { HostDrain, ListedWorker, WorkerRegister } from '../../transcript/worker-register';
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

/** Hosts that have served the workspace, and what has become of them. */
export interface WorkspaceHosts {
  /** Workers that live. */
  readonly living: readonly ListedWorker[];
  /** Hosts whose Workers are gone. */
  readonly gone: readonly { readonly host: string; readonly since: string }[];
  /** Hosts that take nothing new, whether their Workers live or not. */
  readonly drained: readonly HostDrain[];
}

export function hostsOf(name: string, { workers, drains }: RegisterSeen): WorkspaceHosts {
  const own = workers.filter(({ workspace }) => workspace.name === name);
  const living = own.filter(isLiving);
  const hosts = new Set(own.map(({ host }) => host));
  return {
    living,
    gone: goneOf(own, new Set(living.map(({ host }) => host))),
    drained: drains.filter(({ host }) => hosts.has(host)),
  };
}

/** Why nobody takes the work of a workspace, and the cure, for people; null: somebody does. */
export function whyUnserved(name: string, sessionId: string, seen: RegisterSeen): string | null {
  const { living, gone, drained } = hostsOf(name, seen);
  const hosts = new Set(drained.map(({ host }) => host));
  if (living.some(({ host }) => !hosts.has(host))) return null;
  const move = `or everloop workspace move ${sessionId} --to NAME`;
  const [shut] = drained;
  if (shut !== undefined) {
    return `a Worker of the workspace ${name}: ${shut.host} is drained since ${shut.since}. everloop workspace undrain ${shut.host}, ${move}`;
  }
  const lost = gone.map(({ host, since }) => `${host} is gone since ${since}. `).join('');
  return `a Worker of the workspace ${name}: ${lost}EVERLOOP_WORKSPACE=${name} everloop worker there, ${move}`;
}

/** What the register says at one moment. */
export interface RegisterSeen {
  readonly workers: readonly ListedWorker[];
  readonly drains: readonly HostDrain[];
}

export async function seenIn(register: WorkerRegister): Promise<RegisterSeen> {
  const [workers, drains] = await Promise.all([register.list(), register.drains.list()]);
  return { workers, drains };
}

function goneOf(
  workers: readonly ListedWorker[],
  living: ReadonlySet<string>,
): WorkspaceHosts['gone'] {
  const last = new Map<string, string>();
  for (const { host, seenAt } of workers) {
    if (!living.has(host) && seenAt > (last.get(host) ?? '')) last.set(host, seenAt);
  }
  return [...last].map(([host, since]) => ({ host, since }));
}
