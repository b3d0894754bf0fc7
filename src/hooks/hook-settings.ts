import path from 'node:path';
import type { z } from 'zod';
import type { PermissionRule } from '../permissions/rule';
import { lineOf } from '../settings/json-place';
import type { SettingsLayer } from '../settings/settings';
import { SettingsError } from '../settings/settings-file';
import type { Hook } from './hook';
import { isHookEvent } from './hook-event';
import { EventShape, LayerShape, type HookShape } from './hook-schema';
import type { HookGroup, HookSource } from './hook-set';

export interface HookPlace {
  /** The session's folder. Absolute. */
  readonly projectDir: string;
  readonly homeFolder: string;
}

interface Layer extends z.infer<typeof LayerShape> {
  readonly layer: SettingsLayer;
}

/** The hooks of all layers, in their order. What everloop cannot run becomes a warning.
 *  Fails: SettingsError, for hooks that cannot be read: one that was meant to forbid must not get lost. */
export function readSettingsHooks(layers: readonly SettingsLayer[], place: HookPlace): HookSource {
  const all = layers.map((layer) => ({ layer, ...parse(LayerShape, layer.raw, layer, []) }));
  const isAllowed = urlRule(all);
  const warnings: string[] = [];
  const groups = switchedOn(all).flatMap(({ layer, hooks }) =>
    Object.entries(hooks).flatMap(([event, list]) => {
      const where = ['hooks', event];
      if (!isHookEvent(event)) {
        warnings.push(
          `${nameOf(layer)}: ${lineIn(layer, where)}${where.join('.')} never runs, everloop has no such event. Correct or remove it.`,
        );
        return [];
      }
      return parse(EventShape, list, layer, where).map((group, index): HookGroup => {
        const hooks = group.hooks.flatMap((shape, position) => {
          const hook = toHook(shape, layer, place);
          const obstacle =
            typeof hook === 'string' ? hook : hook.type === 'http' ? isAllowed(hook.url) : null;
          if (typeof hook !== 'string' && obstacle === null) return [hook];
          const at = [...where, index, 'hooks', position];
          const line = lineIn(layer, at);
          warnings.push(`${nameOf(layer)}: ${line}${at.join('.')} never runs: ${obstacle ?? ''}`);
          return [];
        });
        return { event, matches: group.matcher, hooks };
      });
    }),
  );
  return { groups, warnings };
}

/** `disableAllHooks` counts where it is said strongest; only the organisation can switch off its own hooks. */
function switchedOn(all: readonly Layer[]): readonly Layer[] {
  const deciding = all.find(({ disableAllHooks }) => disableAllHooks !== null);
  const isOff = deciding?.disableAllHooks === true;
  if (isOff && isManaged(deciding)) return [];
  const isManagedOnly = all.some((one) => isManaged(one) && one.allowManagedHooksOnly === true);
  return isOff || isManagedOnly ? all.filter(isManaged) : all;
}

function isManaged({ layer }: Layer): boolean {
  return layer.source === 'managed';
}

/** What stands in the way of an address, or null. Without any list all are allowed. */
function urlRule(all: readonly Layer[]): (url: string) => string | null {
  const lists = all.flatMap(({ allowedHttpHookUrls }) =>
    allowedHttpHookUrls === null ? [] : [allowedHttpHookUrls],
  );
  if (lists.length === 0) return () => null;
  const patterns = lists.flat().map((pattern) => {
    const parts = pattern.split('*').map((part) => part.replace(/[^\w]/g, '\\$&'));
    return new RegExp(`^${parts.join('.*')}$`);
  });
  return (url) =>
    patterns.some((pattern) => pattern.test(url))
      ? null
      : `allowedHttpHookUrls has no pattern for ${url}. Add one, or remove the hook.`;
}

/** A text says what keeps us from running it. */
function toHook(shape: HookShape, layer: SettingsLayer, place: HookPlace): Hook | string {
  switch (shape.type) {
    case 'command': {
      const { command, args, shell, async: isAsync } = shape;
      if (shell === 'powershell') return 'everloop runs commands with sh or bash. Rewrite it.';
      const common = { ...commonOf(shape, layer, place), command, args, isAsync };
      const env = layer.env && { env: layer.env };
      return { type: 'command', shell: shell ?? '/bin/sh', ...common, ...env };
    }
    case 'http': {
      const { url, headers, allowedEnvVars } = shape;
      return { type: 'http', ...commonOf(shape, layer, place), url, headers, allowedEnvVars };
    }
    case 'prompt':
    case 'agent':
    case 'mcp_tool':
      return `everloop has no hooks of type "${shape.type}". Use type "command" or "http".`;
  }
}

function commonOf(
  shape: Extract<HookShape, { type: 'command' | 'http' }>,
  { source, file }: SettingsLayer,
  { projectDir, homeFolder }: HookPlace,
): { readonly timeoutMs: number | null; readonly condition: PermissionRule | null } {
  const settingsFolder =
    source === 'managed'
      ? '/'
      : source === 'user' && file !== null
        ? path.dirname(file)
        : projectDir;
  const origin = { source, workingDirectory: projectDir, settingsFolder, homeFolder };
  return {
    timeoutMs: shape.timeout === null ? null : shape.timeout * 1000,
    // The behavior under which a rule matches when it speaks of any part of a call.
    condition: shape.if === null ? null : { behavior: 'deny', ...shape.if, origin },
  };
}

function parse<Value>(
  shape: z.ZodType<Value>,
  value: unknown,
  layer: SettingsLayer,
  where: readonly PropertyKey[],
): Value {
  const parsed = shape.safeParse(value);
  if (parsed.success) return parsed.data;
  const complaints = parsed.error.issues.map((issue) => {
    const seen = issue.path.reduce<unknown>(
      (inner, key) =>
        typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : null,
      value,
    );
    const path = [...where, ...issue.path];
    const at = path.map(String).join('.');
    const shown = seen === undefined ? 'missing' : JSON.stringify(seen).slice(0, 80);
    return `${lineIn(layer, path)}${at} is ${shown}: it must be ${issue.message}. Correct or remove it.`;
  });
  throw new SettingsError(`${nameOf(layer)}: ${complaints.join('\n')}`, { cause: parsed.error });
}

function lineIn({ text }: SettingsLayer, path: readonly PropertyKey[]): string {
  return text === undefined ? '' : `line ${lineOf(text, path)}: `;
}

function nameOf({ file }: SettingsLayer): string {
  return file === null ? '--settings' : `Settings file ${file}`;
}
