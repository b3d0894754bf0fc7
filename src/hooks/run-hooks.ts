import { randomUUID } from 'node:crypto';
import { labelOf, timeoutMsOf, type Hook } from './hook';
import { toHookAnswer, type HookAnswer } from './hook-answer';
import { matcherValueOf, type HookEvent, type HookInput } from './hook-event';
import type { HookRun } from './hook-run';
import type { HookSet } from './hook-set';
import { mergeAnswers, type HookVerdict } from './merge-answers';
import { runCallbackHook, type AskClient } from './run-callback-hook';
import { runCommandHook } from './run-command-hook';
import { runHttpHook } from './run-http-hook';

export interface HookHost {
  /** Where commands run. Absolute. */
  readonly cwd: string;
  /** The session's folder, `CLAUDE_PROJECT_DIR` for commands. Absolute. */
  readonly projectDir: string;
  /** The whole environment of commands. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends all hooks with everything that they started. */
  readonly signal: AbortSignal;
  /** Hooks that a client hosts; omitted: no client is connected, they fail. */
  readonly callbacks?: AskClient;
  /** A hook that went on in the background has an answer: it decides nothing any more. */
  readonly onLate?: (answer: HookAnswer) => void;
  /** Neither is called for hooks that a client hosts: it knows. */
  readonly onStarted?: (start: HookStart) => Promise<void>;
  readonly onFinished?: (report: HookReport) => Promise<void>;
}

export interface HookStart {
  readonly id: string;
  /** Such as `PreToolUse:Bash`. */
  readonly name: string;
  readonly event: HookEvent;
}

export interface HookReport extends HookStart, HookRun {
  readonly suppressOutput: boolean;
}

const NO_HOOKS = mergeAnswers('', []);

/** Runs all hooks that match, at the same time, and merges their answers. A hook that fails is a warning.
 *  Fails: with the reason of the signal that aborted; with what an observer threw, once all hooks have ended. */
export async function runHooks(
  set: HookSet,
  input: HookInput,
  host: HookHost,
): Promise<HookVerdict> {
  if (!set.hasHooks(input.hook_event_name)) return NO_HOOKS;
  const hooks = set.matching(input);
  if (hooks.length === 0) return NO_HOOKS;
  host.signal.throwIfAborted();
  const ended = await Promise.allSettled(hooks.map((hook) => runOne(hook, input, host)));
  // Answers of hooks that were cut short are incomplete: a denial may be missing.
  host.signal.throwIfAborted();
  const answered = ended.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
  return mergeAnswers(input.hook_event_name, answered);
}

async function runOne(
  hook: Hook,
  input: HookInput,
  host: HookHost,
): Promise<{ readonly hook: string; readonly answer: HookAnswer }> {
  const event = input.hook_event_name;
  const isObserved = hook.type !== 'callback';
  const start: HookStart = { id: randomUUID(), name: nameOf(input), event };
  if (isObserved) await host.onStarted?.(start);
  const run = await execute(hook, input, host);
  const answer = toHookAnswer(input, run);
  if (isObserved) {
    const { suppressOutput } = answer;
    await host.onFinished?.({ ...start, ...run, suppressOutput });
  }
  return { hook: labelOf(hook), answer };
}

function nameOf(input: HookInput): string {
  const value = matcherValueOf(input);
  return value === null ? input.hook_event_name : `${input.hook_event_name}:${value}`;
}

function execute(hook: Hook, input: HookInput, host: HookHost): Promise<HookRun> {
  const { cwd, projectDir, env, signal } = host;
  const limits = { timeoutMs: timeoutMsOf(hook, input.hook_event_name), signal };
  switch (hook.type) {
    case 'command':
      return runCommandHook(hook, JSON.stringify(input), {
        ...limits,
        cwd,
        env: { ...env, CLAUDE_PROJECT_DIR: projectDir, ...hook.env },
        onLate: (run) => host.onLate?.(toHookAnswer(input, run)),
      });
    case 'http':
      return runHttpHook(hook, JSON.stringify(input), { ...limits, env });
    case 'callback':
      return runCallbackHook(hook, input, { ...limits, ask: host.callbacks ?? null });
  }
}
