import type { SettingsChoice } from '../activity-surroundings';
import type { OwnCodeFiles } from '../agent/own-code-files';
import type { Config } from '../config';
import type { RunOptions } from '../transcript/message';
import type { InteractiveCommand, PrintCommand, RunCommand, SettingsFlags } from './command';
import type { Offers } from './input/control';
import { defaultRunOptions, toRunOptions } from './run-options';

export interface RunSurroundings {
  readonly config: Config;
  readonly ownCode: () => Promise<OwnCodeFiles>;
  /** One line for people. */
  readonly tell: (line: string) => void;
}

/** What the command's messages run with. Says what of the settings does not count, and why. */
export async function composeRun(
  { type, run, settings: flags }: PrintCommand | RunCommand | InteractiveCommand,
  surroundings: RunSurroundings,
): Promise<RunOptions> {
  const { sandboxWarnings } = await import('../sandbox/session-sandbox.js');
  const { loadSettings } = await import('../settings/settings.js');
  const { readSettingsHooks } = await import('../hooks/hook-settings.js');
  const { config, tell } = surroundings;
  const { configDir, userHome } = config;
  const cwd = process.cwd();
  const { pluginDirs = [] } = run;
  const settings = await loadSettings({
    cwd,
    configDir,
    pluginDirs,
    ...toSettingsChoice(flags),
  });
  const { warnings } = readSettingsHooks(settings.layers, {
    projectDir: cwd,
    homeFolder: userHome,
  });
  const unkept = await sandboxWarnings({
    settings: settings.sandbox,
    isBackground: type === 'run',
    searchPath: process.env['PATH'] ?? '',
  });
  for (const warning of [...settings.warnings, ...warnings, ...unkept]) tell(warning);
  const options = toRunOptions(
    run,
    { ...defaultRunOptions(config, settings), ...(type === 'run' && { onBudget: 'pause' }) },
    cwd,
  );
  return run.agent === undefined ? options : withAgent(options, cwd, surroundings);
}

/** What a client is told that it may ask for. */
export async function offersOf(
  { configDir }: Config,
  { settingSources, pluginDirs, subAgents }: RunOptions,
): Promise<Offers> {
  const { listCommands } = await import('../context/slash-command.js');
  const { findSubAgents } = await import('../context/sub-agent-definition.js');
  const place = { cwd: process.cwd(), configDir, sources: settingSources, pluginDirs };
  const [commands, agents] = await Promise.all([
    listCommands(place),
    findSubAgents({ ...place, given: subAgents ?? [] }),
  ]);
  return {
    commands,
    agents: agents.map(({ type: name, description }) => ({ name, description })),
  };
}

/** Programs that start us may mean an agent of another kind: it must not fail for them. */
async function withAgent(
  { agent, ...options }: RunOptions,
  cwd: string,
  { ownCode, tell }: RunSurroundings,
): Promise<RunOptions> {
  const { agents } = await (await ownCode()).of(cwd);
  if (agent !== undefined && agents.some(({ name }) => name === agent)) {
    return { ...options, agent };
  }
  const known = agents.map(({ name }) => name).join(', ');
  tell(
    `--agent ${String(agent)} has no effect: everloop.config.ts of this folder has no such agent (it has: ${known === '' ? 'none' : known}).`,
  );
  return options;
}

/** Whoever else goes on with the session must read the same settings, or leave it alone. */
export function withSettings(run: RunOptions, { extra, sources }: SettingsFlags): RunOptions {
  return {
    ...run,
    ...(extra !== null && { needsHost: [...(run.needsHost ?? []), 'settings'] }),
    ...(sources !== null && { settingSources: sources }),
  };
}

export function toSettingsChoice(flags: SettingsFlags | undefined): SettingsChoice {
  return { cli: flags?.extra ?? null, ...(flags?.sources && { sources: flags.sources }) };
}
