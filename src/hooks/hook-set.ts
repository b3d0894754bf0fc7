import { holdsFor } from './hook-condition';
import { labelOf, type Hook } from './hook';
import { matcherValueOf, type HookEvent, type HookInput } from './hook-event';
import type { HookMatcher } from './hook-matcher';

/** Hooks of one event that share a matcher. */
export interface HookGroup {
  readonly event: HookEvent;
  readonly matches: HookMatcher;
  readonly hooks: readonly Hook[];
}

/** What one place (the settings, a client) says about hooks. */
export interface HookSource {
  readonly groups: readonly HookGroup[];
  /** What was asked for and will not happen, for people. */
  readonly warnings: readonly string[];
}

export interface HookSet {
  readonly warnings: readonly string[];
  /** Costs nothing: ask before building an input. */
  hasHooks(event: HookEvent): boolean;
  /** Strongest source first; hooks that do the same, once. */
  matching(input: HookInput): readonly Hook[];
}

/** Sources strongest first. */
export function createHookSet(sources: readonly HookSource[]): HookSet {
  const groupsOf = new Map<HookEvent, HookGroup[]>();
  for (const group of sources.flatMap(({ groups }) => groups)) {
    if (group.hooks.length === 0) continue;
    const known = groupsOf.get(group.event);
    if (known === undefined) groupsOf.set(group.event, [group]);
    else known.push(group);
  }
  return {
    warnings: sources.flatMap(({ warnings }) => warnings),
    hasHooks: (event) => groupsOf.has(event),
    matching(input) {
      const value = matcherValueOf(input);
      const chosen = new Map<string, Hook>();
      for (const { matches, hooks } of groupsOf.get(input.hook_event_name) ?? []) {
        if (value !== null && !matches(value)) continue;
        for (const hook of hooks) {
          const key = `${hook.type} ${labelOf(hook)}`;
          if (!chosen.has(key) && holdsFor(hook, input)) chosen.set(key, hook);
        }
      }
      return [...chosen.values()];
    },
  };
}
