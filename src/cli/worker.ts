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
}

/** A service: it ends when it is told to, and that is no error. */
export async function worker(
  { files }: WorkerCommand,
  { check, isServed, serve, onStop }: WorkerDeps,
): Promise<number> {
  await check();
  if (files.length > 0 && (await isServed())) {
    throw new CliError(
      `A background Worker of this home runs already, without ${files.join(' and ')}. End it first, then start this one.`,
    );
  }
  const stopping = new AbortController();
  onStop(() => stopping.abort());
  await serve(stopping.signal);
  return 0;
}
