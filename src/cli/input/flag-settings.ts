import { PERMISSION_MODES } from '../command';
import type { RunOptions } from '../../transcript/message';
import { isJsonObject, type JsonObject } from './json-object';

/** What settings of the command line's layer change of a run that has begun. */
type SettingsChange = Partial<
  Pick<RunOptions, 'model' | 'permissionMode' | 'allowedTools' | 'disallowedTools'>
>;

/** Reads `model` and `permissions` (`allow`, `deny`, `defaultMode`).
 *  A text: why the settings cannot be applied; then none of them is. */
export function toSettingsChange(settings: unknown, options: RunOptions): SettingsChange | string {
  if (!isJsonObject(settings)) return "'settings' must be an object.";
  const { model, permissions = {}, ...rest } = settings;
  const others = Object.keys(rest);
  if (others.length > 0) {
    return `Settings that a running session cannot take over: ${others.join(', ')}. Start it with --settings.`;
  }
  if (model !== undefined && typeof model !== 'string') return "'model' must be a text.";
  const change = isJsonObject(permissions)
    ? toRules(permissions, options)
    : "'permissions' must be an object.";
  if (typeof change === 'string') return change;
  return { ...(model !== undefined && { model }), ...change };
}

function toRules(permissions: JsonObject, options: RunOptions): SettingsChange | string {
  const { allow = [], deny = [], defaultMode, ...rest } = permissions;
  const others = Object.keys(rest);
  if (others.length > 0) {
    return `Permissions that a running session cannot take over: ${others.join(', ')}. Start it with --settings.`;
  }
  if (!isTexts(allow) || !isTexts(deny)) return "'allow' and 'deny' must be lists of rules.";
  const mode = PERMISSION_MODES.find((known) => known === defaultMode);
  if (defaultMode !== undefined && mode === undefined) {
    return `'defaultMode' must be one of ${PERMISSION_MODES.join(', ')}.`;
  }
  return {
    ...(allow.length > 0 && { allowedTools: [...options.allowedTools, ...allow] }),
    ...(deny.length > 0 && { disallowedTools: [...options.disallowedTools, ...deny] }),
    ...(mode !== undefined && { permissionMode: mode }),
  };
}

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');
