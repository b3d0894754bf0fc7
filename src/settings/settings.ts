import os from 'node:os';
import path from 'node:path';
import type { PermissionMode } from '../loop/state';
import { readApprovalSettings, type ApprovalSettings } from '../permissions/approval-settings';
import { toRules, type PermissionRule, type RuleSource } from '../permissions/rule';
import { readSandboxSettings, type SandboxSettings } from '../sandbox/sandbox-settings';
import { PluginError, readPlugin } from './plugin';
import { parseSettings, readSettingsFile, SettingsError, type SettingsFile } from './settings-file';

/** What the settings files say together. */
export interface Settings {
  /** Rules of all files; each knows where it comes from. */
  readonly rules: readonly PermissionRule[];
  /** null: no file names one. */
  readonly defaultMode: PermissionMode | null;
  /** Absolute. */
  readonly additionalDirectories: readonly string[];
  /** For commands and hooks. Our own configuration is never read from here: a project's file could send
   *  the user's key to another address. */
  readonly env: Readonly<Record<string, string>>;
  /** null: no file names one. */
  readonly model: string | null;
  /** false: conversations are not summarised of their own accord. */
  readonly autoCompact: boolean;
  /** false: the system prompt tells nothing of the state of the repository. */
  readonly gitInstructions: boolean;
  /** What commands and MCP servers may touch. */
  readonly sandbox: SandboxSettings;
  /** How people are waited for. */
  readonly approvals: ApprovalSettings;
  /** What the files say that has no effect: file, line and cure. */
  readonly warnings: readonly string[];
  /** Every file as it was read, strongest first: hooks and other keys are taken from here. */
  readonly layers: readonly SettingsLayer[];
}

export interface SettingsLayer {
  readonly source: SettingsSource;
  /** null: given on the command line. */
  readonly file: string | null;
  readonly raw: Readonly<Record<string, unknown>>;
  /** As it was read, for the lines of complaints; absent: it was not. */
  readonly text?: string;
  /** What commands of its hooks find in their environment beside all else; absent: nothing. */
  readonly env?: Readonly<Record<string, string>>;
}

export type SettingsSource = Exclude<RuleSource, 'session'>;

export interface SettingsPlace {
  /** The session's working folder. Absolute. */
  readonly cwd: string;
  /** The user's configuration folder. Absolute. */
  readonly configDir: string;
  /** Value of `--settings`: JSON or a path. */
  readonly cli?: string | null;
  /** Value of `--setting-sources`; what the organisation manages and the command line always count. */
  readonly sources?: readonly ('user' | 'project' | 'local')[];
  readonly homeFolder?: string;
  readonly managedFile?: string;
  /** Folders of plugins, relative ones to `cwd`; absent: none. */
  readonly pluginDirs?: readonly string[];
}

interface Layer extends SettingsLayer {
  readonly settings: SettingsFile;
}

const MANAGED_FILE =
  process.platform === 'darwin'
    ? '/Library/Application Support/ClaudeCode/managed-settings.json'
    : '/etc/claude-code/managed-settings.json';

/** Reads and merges all settings, strongest first: managed, command line, local, project, user.
 *  Lists are joined, single values come from the strongest file that has them.
 *  Plugins are the weakest, and only their hooks and MCP servers count.
 *  Fails: SettingsError. A missing file is no failure, unless the command line names it. */
export async function loadSettings(place: SettingsPlace): Promise<Settings> {
  const [layers, plugins] = await Promise.all([readLayers(place), readPlugins(place)]);
  const homeFolder = place.homeFolder ?? os.homedir();
  const settings = layers.map((layer) => layer.settings);
  const read = layers.map(({ source, file, raw, settings: { text } }) => ({
    source,
    file,
    raw,
    text,
  }));
  const { approvals, warnings } = readApprovalSettings(read);
  const firstOf = <Value>(values: readonly (Value | null)[]) =>
    values.find((value) => value !== null) ?? null;
  return {
    rules: layers.flatMap((layer) => rulesOf(layer, place, homeFolder)),
    defaultMode: firstOf(layers.map(modeOf)),
    additionalDirectories: settings.flatMap(({ permissions }) =>
      permissions.additionalDirectories.map((folder) =>
        path.resolve(
          place.cwd,
          folder.replace(/^~(?=\/|$)/, () => homeFolder),
        ),
      ),
    ),
    env: Object.fromEntries(settings.toReversed().flatMap(({ env }) => Object.entries(env))),
    model: firstOf(settings.map(({ model }) => model)),
    autoCompact: firstOf(settings.map(({ autoCompactEnabled }) => autoCompactEnabled)) ?? true,
    gitInstructions:
      firstOf(settings.map(({ includeGitInstructions }) => includeGitInstructions)) ?? true,
    sandbox: readSandboxSettings(read, { cwd: place.cwd, configDir: place.configDir, homeFolder }),
    approvals,
    warnings: [
      ...layers.flatMap((layer) => [...layer.settings.warnings, ...ignoredModeOf(layer)]),
      ...warnings,
    ],
    layers: [...read, ...plugins],
  };
}

/** A repository cannot grant itself a mode in which nobody is asked. */
const grantsItselfAuto = ({ source, settings: { permissions } }: Layer): boolean =>
  permissions.defaultMode === 'auto' && (source === 'project' || source === 'local');

const modeOf = (layer: Layer): PermissionMode | null =>
  grantsItselfAuto(layer) ? null : layer.settings.permissions.defaultMode;

const ignoredModeOf = (layer: Layer): readonly string[] =>
  grantsItselfAuto(layer)
    ? [
        `Settings file ${String(layer.file)}: permissions.defaultMode is "auto": a project cannot choose it. Set it in your own settings, or start with --permission-mode auto.`,
      ]
    : [];

async function readLayers(place: SettingsPlace): Promise<readonly Layer[]> {
  const { cwd, configDir, sources = ['user', 'project', 'local'] } = place;
  const project = path.join(cwd, '.claude');
  const files: readonly (readonly [SettingsSource, string])[] = [
    ['managed', place.managedFile ?? MANAGED_FILE],
    ['local', path.join(project, 'settings.local.json')],
    ['project', path.join(project, 'settings.json')],
    ['user', path.join(configDir, 'settings.json')],
  ];
  const wanted = files.filter(
    ([source]) => source === 'managed' || sources.some((s) => s === source),
  );
  const read = await Promise.all(
    wanted.map(async ([source, file]) => toLayer(source, file, await readSettingsFile(file))),
  );
  const [managed = [], ...others] = read;
  return [...managed, ...(await readCommandLine(place)), ...others.flat()];
}

async function readCommandLine({ cli, cwd }: SettingsPlace): Promise<readonly Layer[]> {
  if (cli === undefined || cli === null || cli.trim() === '') return [];
  if (cli.trim().startsWith('{')) return toLayer('cli', null, parseSettings(cli, '--settings'));
  const file = path.resolve(cwd, cli);
  const settings = await readSettingsFile(file);
  if (settings === undefined) {
    throw new SettingsError(
      `Settings file ${file}, given by --settings, does not exist. Correct the path, or give the JSON itself.`,
    );
  }
  return toLayer('cli', file, settings);
}

/** Fails: SettingsError, for a plugin that cannot be read: a hook that was meant to forbid must not get lost. */
async function readPlugins({
  cwd,
  pluginDirs = [],
}: SettingsPlace): Promise<readonly SettingsLayer[]> {
  try {
    const plugins = await Promise.all(
      pluginDirs.map((folder) => readPlugin(path.resolve(cwd, folder))),
    );
    return plugins.map(({ path: folder, raw }) => ({
      source: 'user',
      file: path.join(folder, '.claude-plugin', 'plugin.json'),
      raw,
      env: { CLAUDE_PLUGIN_ROOT: folder },
    }));
  } catch (error) {
    if (error instanceof PluginError) throw new SettingsError(error.message, { cause: error });
    throw error;
  }
}

function toLayer(
  source: SettingsSource,
  file: string | null,
  settings: SettingsFile | undefined,
): readonly Layer[] {
  return settings === undefined ? [] : [{ source, file, raw: settings.raw, settings }];
}

function rulesOf(
  { source, settings: { permissions } }: Layer,
  { cwd, configDir }: SettingsPlace,
  homeFolder: string,
): readonly PermissionRule[] {
  const origin = {
    source,
    workingDirectory: cwd,
    settingsFolder: source === 'user' ? configDir : source === 'managed' ? '/' : cwd,
    homeFolder,
  };
  return (['deny', 'ask', 'allow'] as const).flatMap((behavior) =>
    toRules(behavior, permissions[behavior], origin),
  );
}
