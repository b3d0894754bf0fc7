import type { PermissionRule } from '../permissions/rule';
import type { HookEvent } from './hook-event';

export type Hook = CommandHook | HttpHook | CallbackHook;

interface AnyHook {
  /** null: the default of the event. */
  readonly timeoutMs: number | null;
}

interface ConfiguredHook extends AnyHook {
  /** `if`, a permission rule: only calls that it speaks of reach the hook; null: all do. */
  readonly condition: PermissionRule | null;
}

export interface CommandHook extends ConfiguredHook {
  readonly type: 'command';
  /** A line for the shell; with `args` a program. */
  readonly command: string;
  /** null: the shell reads the command. */
  readonly args: readonly string[] | null;
  readonly shell: '/bin/sh' | 'bash';
  /** It is started and not waited for. */
  readonly isAsync: boolean;
  /** What it finds in its environment beside all else. Absent: nothing. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface HttpHook extends ConfiguredHook {
  readonly type: 'http';
  readonly url: string;
  /** `$NAME` and `${NAME}` stand for variables, of `allowedEnvVars` only. */
  readonly headers: Readonly<Record<string, string>>;
  readonly allowedEnvVars: readonly string[];
}

/** Hosted by a client of the session. */
export interface CallbackHook extends AnyHook {
  readonly type: 'callback';
  readonly id: string;
  /** What it means when the client fails to answer. */
  readonly onFailure: 'ignore' | 'block';
}

const DEFAULT_TIMEOUT_MS = 600_000;
/** Who ends a session does not wait long for what is left to do. */
const SESSION_END_TIMEOUT_MS = { byDefault: 1_500, atMost: 60_000 };
/** setTimeout takes no more. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

export function timeoutMsOf(hook: Hook, event: HookEvent): number {
  if (event === 'SessionEnd') {
    const { byDefault, atMost } = SESSION_END_TIMEOUT_MS;
    return Math.min(hook.timeoutMs ?? byDefault, atMost);
  }
  return Math.min(hook.timeoutMs ?? DEFAULT_TIMEOUT_MS, LONGEST_TIMEOUT_MS);
}

/** How people recognise it; hooks of the same label and type do the same. */
export function labelOf(hook: Hook): string {
  switch (hook.type) {
    case 'command':
      return [hook.command, ...(hook.args ?? [])].join(' ');
    case 'http':
      return hook.url;
    case 'callback':
      return hook.id;
  }
}
