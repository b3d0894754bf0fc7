import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { HookInput, HookInputOf } from '../../src/hooks/hook-event';
import { createHookSet, type HookSet } from '../../src/hooks/hook-set';
import { readSettingsHooks } from '../../src/hooks/hook-settings';
import { runHooks, type HookHost } from '../../src/hooks/run-hooks';
import type { HookVerdict } from '../../src/hooks/merge-answers';
import type { SettingsLayer } from '../../src/settings/settings';

const COMMON = {
  session_id: 's',
  transcript_path: '/t/s.jsonl',
  cwd: '/',
  permission_mode: 'default',
} as const;

/** A call of Bash that hooks are asked about. */
export function preToolUse(
  over: Partial<HookInputOf<'PreToolUse'>> = {},
): HookInputOf<'PreToolUse'> {
  return {
    ...COMMON,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
    tool_use_id: 'toolu_1',
    ...over,
  };
}

export function userPrompt(prompt = 'hello'): HookInputOf<'UserPromptSubmit'> {
  return { ...COMMON, hook_event_name: 'UserPromptSubmit', prompt };
}

export function stop(): HookInputOf<'Stop'> {
  return { ...COMMON, hook_event_name: 'Stop', stop_hook_active: false };
}

export function sessionEnd(): HookInputOf<'SessionEnd'> {
  return { ...COMMON, hook_event_name: 'SessionEnd', reason: 'other' };
}

export function postToolUse(tool = 'Bash'): HookInputOf<'PostToolUse'> {
  return {
    ...preToolUse({ tool_name: tool }),
    hook_event_name: 'PostToolUse',
    tool_response: 'out',
  };
}

/** A settings file with these keys. */
export function layer(
  raw: Record<string, unknown>,
  source: SettingsLayer['source'] = 'project',
): SettingsLayer {
  return { source, file: source === 'cli' ? null : `/${source}.json`, raw };
}

export function setOf(...layers: readonly SettingsLayer[]): HookSet {
  const place = { projectDir: '/project', homeFolder: '/home' };
  return createHookSet([readSettingsHooks(layers, place)]);
}

/** Commands for one event, without a matcher. */
export function commands(event: string, ...lines: readonly (string | object)[]): HookSet {
  const hooks = lines.map((line) =>
    typeof line === 'string' ? { type: 'command', command: line } : { type: 'command', ...line },
  );
  return setOf(layer({ hooks: { [event]: [{ hooks }] } }));
}

/** A command that reads its input and prints this. */
export function prints(answer: unknown): string {
  return `cat >/dev/null; echo '${JSON.stringify(answer)}'`;
}

/** Runs in a folder of its own, which is removed after the test. */
export class HookRig {
  #folder = '';

  async open(): Promise<void> {
    this.#folder = await mkdtemp(path.join(os.tmpdir(), 'everloop-hooks-'));
  }

  close(): Promise<void> {
    return rm(this.#folder, { recursive: true });
  }

  file(name: string): string {
    return path.join(this.#folder, name);
  }

  host(over: Partial<HookHost> = {}): HookHost {
    return {
      cwd: this.#folder,
      projectDir: this.#folder,
      env: { PATH: process.env['PATH'] },
      signal: new AbortController().signal,
      ...over,
    };
  }

  run(set: HookSet, input: HookInput, over: Partial<HookHost> = {}): Promise<HookVerdict> {
    return runHooks(set, input, this.host(over));
  }
}
