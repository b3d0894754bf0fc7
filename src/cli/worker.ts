import type { Command } from './command';

export interface WorkerDeps {
  /** Serves background sessions; resolves when the signal has aborted and the Worker has stopped. */
  readonly serve: (
    options: { readonly tools: readonly string[] | null },
    signal: AbortSignal,
  ) => Promise<void>;
  /** Ctrl-C and SIGTERM. */
  readonly onStop: (listener: () => void) => void;
}

/** A service: it ends when it is told to, and that is no error. */
export async function worker(
  { tools }: Extract<Command, { type: 'worker' }>,
  { serve, onStop }: WorkerDeps,
): Promise<number> {
  const stopping = new AbortController();
  onStop(() => stopping.abort());
  await serve({ tools }, stopping.signal);
  return 0;
}
