/** How one hook went, before its answer is read. */
export interface HookRun {
  /** By exit code: 0 success, 2 blocking, else error. */
  readonly outcome: 'success' | 'blocking' | 'error' | 'timeout' | 'cancelled';
  /** null: it has none. */
  readonly exitCode: number | null;
  readonly stdout: string;
  /** What went wrong, for hooks that are no process. */
  readonly stderr: string;
  readonly durationMs: number;
  /** It goes on by itself; its answer does not count. */
  readonly isDetached: boolean;
}

/** Which limits hold for a run. */
export interface HookLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

type Ending<Value> =
  | { readonly type: 'done'; readonly value: Value }
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'timeout' }
  | { readonly type: 'cancelled' };

/** Waits for the work until its time is over or `signal` aborts; the signal that the work gets aborts then too. */
export async function withinLimits<Value>(
  { timeoutMs, signal }: HookLimits,
  work: (signal: AbortSignal) => Promise<Value>,
): Promise<Ending<Value>> {
  const own = new AbortController();
  return new Promise((resolve) => {
    const settle = (ending: Ending<Value>): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      resolve(ending);
      if (ending.type === 'timeout' || ending.type === 'cancelled') own.abort();
    };
    const cancel = (): void => settle({ type: 'cancelled' });
    const timer = setTimeout(() => settle({ type: 'timeout' }), timeoutMs);
    signal.addEventListener('abort', cancel);
    if (signal.aborted) {
      cancel();
      return;
    }
    work(own.signal).then(
      (value) => settle({ type: 'done', value }),
      (error: unknown) => settle({ type: 'failed', message: messageOf(error) }),
    );
  });
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch hides its reason there.
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
