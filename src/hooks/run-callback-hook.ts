import { performance } from 'node:perf_hooks';
import type { CallbackHook } from './hook';
import type { HookInput } from './hook-event';
import { withinLimits, type HookLimits, type HookRun } from './hook-run';

/** Asks the client that hosts a hook; the answer is hook JSON. `toolUseId` is null where no call is meant.
 *  `signal` aborts when the answer does not count any more. */
export type AskClient = (
  callbackId: string,
  input: HookInput,
  toolUseId: string | null,
  signal: AbortSignal,
) => Promise<unknown>;

/** Never throws. A call is not made while its hook owes an answer: for PreToolUse a timeout blocks. */
export async function runCallbackHook(
  { id, onFailure }: CallbackHook,
  input: HookInput,
  { ask, ...limits }: HookLimits & { readonly ask: AskClient | null },
): Promise<HookRun> {
  const startedAt = performance.now();
  const toolUseId = 'tool_use_id' in input ? (input.tool_use_id ?? null) : null;
  const ending = await withinLimits(limits, async (signal) => {
    if (ask === null) throw new Error('The client that hosts this hook is not connected.');
    return JSON.stringify((await ask(id, input, toolUseId, signal)) ?? {});
  });
  const durationMs = Math.round(performance.now() - startedAt);
  const run = { exitCode: null, stdout: '', stderr: '', durationMs, isDetached: false };
  const failure = onFailure === 'block' ? 'blocking' : 'error';
  switch (ending.type) {
    case 'done':
      return { ...run, outcome: 'success', stdout: ending.value };
    case 'failed':
      return { ...run, outcome: failure, stderr: ending.message };
    case 'timeout': {
      const stderr = `The client did not answer within ${limits.timeoutMs / 1000} s.`;
      const isDue = input.hook_event_name === 'PreToolUse' || onFailure === 'block';
      return { ...run, outcome: isDue ? 'blocking' : 'timeout', stderr };
    }
    case 'cancelled':
      return { ...run, outcome: 'cancelled' };
  }
}
