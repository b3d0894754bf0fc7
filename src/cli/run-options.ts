import path from 'node:path';
import type { Config } from '../config';
import { DEFAULT_GATES } from '../loop/gates';
import { resolveModel } from '../settings/model-alias';
import type { Settings } from '../settings/settings';
import { plainRunOptions } from '../transcript/plain-run-options';
import type { RunOptions } from '../transcript/message';
import type { RunFlags } from './command';

/** What a message runs with if the command line says nothing. Rules of settings files are not part of it: whoever
 *  serves the session reads those. */
export function defaultRunOptions(
  config: Pick<
    Config,
    'model' | 'maxThinkingTokens' | 'autoCompact' | 'toolUseSummaries' | 'uiDetail'
  >,
  settings: Pick<Settings, 'model' | 'defaultMode' | 'additionalDirectories' | 'autoCompact'>,
): RunOptions {
  return {
    ...plainRunOptions(
      resolveModel(config.model, settings.model),
      settings.defaultMode ?? 'default',
    ),
    additionalDirectories: settings.additionalDirectories,
    maxThinkingTokens: config.maxThinkingTokens,
    ...(config.uiDetail !== 'full' && { uiDetail: config.uiDetail }),
    gates: {
      ...DEFAULT_GATES,
      autocompact: config.autoCompact && settings.autoCompact,
      toolUseSummaries: config.toolUseSummaries,
    },
  };
}

/** The command line over the defaults. Rules and folders add up, all else replaces. */
export function toRunOptions(flags: RunFlags, defaults: RunOptions, cwd: string): RunOptions {
  const folders = (flags.additionalDirectories ?? []).map((folder) => path.resolve(cwd, folder));
  return {
    ...defaults,
    ...flags,
    model: resolveModel(flags.model, defaults.model),
    allowedTools: union(defaults.allowedTools, flags.allowedTools),
    disallowedTools: union(defaults.disallowedTools, flags.disallowedTools),
    additionalDirectories: union(defaults.additionalDirectories, folders),
    ...(flags.pluginDirs && {
      pluginDirs: flags.pluginDirs.map((folder) => path.resolve(cwd, folder)),
    }),
  };
}

function union(a: readonly string[], b: readonly string[] = []): readonly string[] {
  return [...new Set([...a, ...b])];
}
