import { setTimeout as pause } from 'node:timers/promises';
import type { WorkerRegister } from '../../transcript/worker-register';
import { CliError } from '../cli-error';
import type { Operator } from './operator';
import type { DrainCommand } from './workspace-command';
import { isLiving, requireWorkspaces, seenIn } from './workspaces';

/** One line of `--json`. */
interface DrainedHost {
  readonly host: string;
  readonly drained: boolean;
  /** Its Workers that live. */
  readonly workers: number;
  /** Attempts that they run. */
  readonly running: number;
  /** All of them have said that they obey. */
  readonly heard: boolean;
}

/** A Worker speaks every 3 s (`src/recovery/pulse.ts`), and may miss twice. */
const HEARD_WITHIN_MS = 10_000;
const LOOK_MS = 200;

/** Lets a host take nothing new, or take what comes again; what runs there is finished there. Exit code 0: all of its
 *  Workers that live have heard of it. Fails: CliError when the host is not known. */
export async function drainHost(
  { action, of, wait, json }: DrainCommand,
  { host, stdout }: Pick<Operator, 'host' | 'stdout'>,
): Promise<number> {
  const register = requireWorkspaces(host.store);
  await requireHost(of, register);
  const isDrained = action === 'drain';
  if (isDrained) await register.drains.begin(of);
  else await register.drains.end(of);
  const deadline = performance.now() + HEARD_WITHIN_MS;
  for (;;) {
    const seen = await lookAt(of, isDrained, register);
    const isEnough = seen.heard && (!wait || seen.running === 0);
    if (!isEnough && (performance.now() < deadline || (wait && seen.heard))) {
      await pause(LOOK_MS);
      continue;
    }
    if (json) await stdout.writeLine({ ...seen });
    else await stdout.write(`${textOf(seen)}\n`);
    return seen.heard ? 0 : 1;
  }
}

/** A typing error would drain nobody, and say nothing. */
async function requireHost(of: string, register: WorkerRegister): Promise<void> {
  const { workers, drains } = await seenIn(register);
  const hosts = new Set([...workers, ...drains].map(({ host }) => host));
  if (hosts.has(of)) return;
  const known = [...hosts].sort().join(', ') || 'none';
  throw new CliError(
    `No Worker has served a workspace on a host "${of}". Hosts that are known: ${known}. A host is named by EVERLOOP_HOST, else by its system.`,
  );
}

async function lookAt(
  of: string,
  drained: boolean,
  register: WorkerRegister,
): Promise<DrainedHost> {
  const living = (await register.list()).filter((one) => one.host === of && isLiving(one));
  return {
    host: of,
    drained,
    workers: living.length,
    running: living.reduce((sum, { running }) => sum + running, 0),
    heard: living.every(({ isDrained }) => isDrained === drained),
  };
}

function textOf({ host, drained, workers, running, heard }: DrainedHost): string {
  const living = `${workers} Worker${workers === 1 ? '' : 's'} of it live${workers === 1 ? 's' : ''}`;
  if (!heard) {
    return `${host}: noted, but not all of its Workers have said within ${HEARD_WITHIN_MS / 1_000} s that they heard of it (${living}). Look again: everloop workspace ls`;
  }
  if (!drained) return `${host} takes what comes again; ${living}.`;
  const rest =
    running === 0
      ? 'nothing runs there: its Workers can be stopped'
      : `${running} call${running === 1 ? '' : 's'} still run${running === 1 ? 's' : ''} there (to wait: everloop workspace drain ${host} --wait)`;
  return `${host} takes nothing new; ${living}; ${rest}. To end it: everloop workspace undrain ${host}`;
}
