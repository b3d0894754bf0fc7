import { performance } from 'node:perf_hooks';
import { z } from 'zod';
import type { CommandHook } from './hook';
import { HookProcess, type ProcessPlace } from './hook-process';
import { withinLimits, type HookLimits, type HookRun } from './hook-run';

/** The first line of a hook that wants to go on by itself; `asyncTimeout` in milliseconds. */
const AsyncLine = z.object({
  async: z.literal(true),
  asyncTimeout: z.number().positive().optional(),
});
const ASYNC_LINE_CHARS = 1_000;

export interface LateListener {
  /** Called when a hook that went on by itself has ended. */
  readonly onLate?: (run: HookRun) => void;
}

/** Runs the command until it ends, goes into the background, or has to be ended: then with everything that it
 *  started. Never throws. */
export async function runCommandHook(
  hook: CommandHook,
  input: string,
  { timeoutMs, signal, onLate, ...place }: HookLimits & ProcessPlace & LateListener,
): Promise<HookRun> {
  const startedAt = performance.now();
  let started: HookProcess | undefined;
  const ending = await withinLimits({ timeoutMs, signal }, async () => {
    const process = new HookProcess(hook, `${input}\n`, place);
    started = process;
    const inBackground = hook.isAsync ? Promise.resolve(timeoutMs) : asyncTimeout(process);
    return Promise.race([
      process.exited.then((exitCode) => ({ exitCode, backgroundMs: null })),
      inBackground.then((ms) => ({ exitCode: null, backgroundMs: ms ?? timeoutMs })),
    ]);
  });
  const durationMs = Math.round(performance.now() - startedAt);
  const { stdout = '', stderr = '' } = started ?? {};
  const run = { exitCode: null, stdout, stderr, durationMs, isDetached: false };
  switch (ending.type) {
    case 'failed':
      return { ...run, outcome: 'error', stderr: ending.message };
    case 'timeout':
    case 'cancelled':
      await started?.endTree();
      return { ...run, outcome: ending.type };
    case 'done': {
      const { exitCode, backgroundMs } = ending.value;
      if (backgroundMs === null) return { ...run, exitCode, outcome: outcomeOf(exitCode) };
      if (started !== undefined) leaveInBackground(started, backgroundMs, onLate);
      return { ...run, outcome: 'success', isDetached: true };
    }
  }
}

function outcomeOf(exitCode: number | null): HookRun['outcome'] {
  if (exitCode === 0) return 'success';
  return exitCode === 2 ? 'blocking' : 'error';
}

/** Resolves when the hook says that it goes on by itself; undefined: it names no time. */
function asyncTimeout(process: HookProcess): Promise<number | undefined> {
  return new Promise((resolve) => {
    process.onStdout(() => {
      const [line = ''] = process.stdout.trimStart().split('\n', 1);
      if (!line.startsWith('{') || line.length > ASYNC_LINE_CHARS) return;
      const said = AsyncLine.safeParse(parseJson(line));
      if (said.success) resolve(said.data.asyncTimeout);
    });
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The line is not complete yet, or something else.
    return undefined;
  }
}

/** Neither it nor its time keeps this process from ending. */
function leaveInBackground(
  process: HookProcess,
  timeoutMs: number,
  onLate: LateListener['onLate'],
): void {
  const startedAt = performance.now();
  process.detach();
  const timer = setTimeout(() => void process.endTree(), timeoutMs).unref();
  const forget = (): void => clearTimeout(timer);
  process.exited.then((exitCode) => {
    forget();
    onLate?.({
      outcome: outcomeOf(exitCode),
      exitCode,
      stdout: withoutAsyncLine(process.stdout),
      stderr: process.stderr,
      durationMs: Math.round(performance.now() - startedAt),
      isDetached: false,
    });
  }, forget);
}

function withoutAsyncLine(stdout: string): string {
  const [line = '', ...rest] = stdout.trimStart().split('\n');
  return AsyncLine.safeParse(parseJson(line)).success ? rest.join('\n') : stdout;
}
