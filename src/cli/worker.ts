import { CliError } from './cli-error';
import type { WorkerCommand } from './command';

export interface WorkerDeps {
  /** Fails when a file of `--tools` cannot be used. */
  readonly check: () => Promise<void>;
  /** Whether another process is the background Worker already. */
  readonly isServed: () => Promise<boolean>;
  /** Serves background sessions; resolves when the signal has aborted and the Worker has stopped. */
  readonly serve: (signal: AbortSignal) => Promise<void>;
  /** Ctrl-C and SIGTERM. */
  readonly onStop: (listener: () => void) => void;
  /** How long what runs may take then, ms. */
  readonly graceMs: number;
}

/** Beyond the grace. Less than the 30 s after which a container is killed, with room for a grace of some seconds. */
const LEAVES_WITHIN_MS = 19_000;

/** A service: it ends when it is told to, and that is no error. Fails: when it cannot end in time, because server or
 *  database do not answer; the process is to be left then. */
export async function worker(
  { files }: WorkerCommand,
  { check, isServed, serve, onStop, graceMs }: WorkerDeps,
): Promise<number> {
  await check();
  if (files.length > 0 && (await isServed())) {
    throw new CliError(
      `A background Worker of this home runs already, without ${files.join(' and ')}. End it first, then start this one.`,
    );
  }
  const stopping = new AbortController();
  const withinMs = graceMs + LEAVES_WITHIN_MS;
  const late = new Promise<never>((_, reject) => {
    onStop(() => {
      stopping.abort();
      const error = new CliError(
        `The Worker could not stop in order within ${withinMs / 1_000} s and leaves. What it served is taken over when others miss its word.`,
      );
      setTimeout(() => reject(error), withinMs).unref();
    });
  });
  await Promise.race([serve(stopping.signal), late]);
  return 0;
}
