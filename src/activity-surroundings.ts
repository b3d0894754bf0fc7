import type { Place, SessionHooks, Surroundings } from './activities/deps';
import type { Config } from './config';
import { collectTurnAttachments } from './context/attachments/collect';
import { createPrefetches } from './context/attachments/prefetches';
import type { TurnAttachment } from './context/attachments/turn-attachment';
import type { DefinitionPlace } from './context/definition-folder';
import { expandPrompt } from './context/expand-prompt';
import { createFreshLists } from './context/fresh-list';
import { findSkills } from './context/skill-file';
import { listCommands } from './context/slash-command';
import { findSubAgents, type SubAgentDefinition } from './context/sub-agent-definition';
import { reattachFiles } from './context/reattached-file';
import { buildSessionContext } from './context/session-context';
import { readConfiguration } from './mcp/configured-servers';
import type { McpHost } from './mcp/mcp-host';
import type { HostHooks } from './hooks/host-hooks';
import { createHookSet, type HookSource } from './hooks/hook-set';
import { readSettingsHooks } from './hooks/hook-settings';
import { toRules, type PermissionRule, type RuleOrigin } from './permissions/rule';
import { readableBy } from './permissions/readable-by';
import type { SandboxedSession, SandboxState } from './sandbox/sandbox';
import { sandboxOf } from './sandbox/session-sandbox';
import { temporaryFolderOf } from './sandbox/temporary-folder';
import { readPlugin } from './settings/plugin';
import { loadSettings, type Settings, type SettingsPlace } from './settings/settings';
import { createSkillTool } from './tools/skill';
import type { Tool } from './tools/tool';
import type { HostPart } from './transcript/message';

export interface SettingsChoice extends Pick<SettingsPlace, 'cli' | 'sources'> {
  /** Hooks of the program that hosts the session; absent: nobody hosts it. */
  readonly hostHooks?: HostHooks;
  /** MCP servers of the command line and of the hosting program; absent: there are none. */
  readonly mcpHost?: McpHost;
}

/** What queries may depend on that only this process has. */
export function hostPartsOf({ hostHooks, mcpHost, cli }: SettingsChoice): readonly HostPart[] {
  const hasHooks = (hostHooks?.source?.groups.length ?? 0) > 0;
  const hasSettings = cli !== undefined && cli !== null;
  return [
    ...(hasHooks ? ['hooks' as const] : []),
    ...(hasSettings ? ['settings' as const] : []),
    ...(mcpHost?.hasServers === true ? ['MCP servers' as const] : []),
  ];
}

type SettledPlace = Parameters<Surroundings['mcpServers']>[0];

/** Settings files may change while a session runs; they are looked at again after this long. */
const SETTINGS_FRESH_MS = 1_000;

/** What a session's folder and the user's own files add to a query, read where the session is served. */
export function createSurroundings(
  config: Pick<Config, 'configDir' | 'userHome' | 'home'>,
  choice: SettingsChoice,
  environment: Readonly<Record<string, string | undefined>>,
): Surroundings {
  const { configDir, userHome: homeFolder, home } = config;
  const loaded = new Map<string, { readonly atMs: number; readonly settings: Promise<Settings> }>();

  const { hostHooks, mcpHost, ...place } = choice;
  const hookSets = new WeakMap<
    Settings,
    { readonly hooks: SessionHooks; readonly hosted: HookSource | null }
  >();
  const prefetches = createPrefetches();
  const subAgents = createFreshLists(findSubAgents);
  const skills = createFreshLists(findSkills);
  const skillTools = new Map<string, Tool>();

  /** Memory, commands, agents and skills count where the settings do. */
  const sourcesOf = ({ settingSources = place.sources }: SettledPlace['options']) => settingSources;
  const definitionPlace = ({ cwd, options }: Place): DefinitionPlace => ({
    cwd,
    configDir,
    sources: sourcesOf(options),
    pluginDirs: options.pluginDirs,
  });

  const settingsOf = ({ cwd, options }: Pick<SettledPlace, 'cwd' | 'options'>) => {
    const sources = sourcesOf(options);
    const { pluginDirs = [] } = options;
    const name = JSON.stringify([cwd, sources, pluginDirs]);
    const known = loaded.get(name);
    if (known !== undefined && Date.now() - known.atMs < SETTINGS_FRESH_MS) return known.settings;
    const chosen = sources === undefined ? place : { ...place, sources };
    const settings = loadSettings({ cwd, configDir, homeFolder, pluginDirs, ...chosen });
    loaded.set(name, { atMs: Date.now(), settings });
    return settings;
  };

  const permissionRules = async ({ cwd, options }: Place): Promise<readonly PermissionRule[]> => {
    const origin: RuleOrigin = {
      source: 'cli',
      workingDirectory: cwd,
      settingsFolder: cwd,
      homeFolder,
    };
    const { rules } = await settingsOf({ cwd, options });
    return [
      ...toRules('deny', options.disallowedTools, origin),
      ...toRules('allow', options.allowedTools, origin),
      ...rules,
    ];
  };

  const sandboxFor = (
    { sessionId, isBackground, roots, readable }: SandboxedSession,
    { sandbox: settings }: Settings,
    rules: readonly PermissionRule[],
  ): Promise<SandboxState> => {
    const temporary = temporaryFolderOf(sessionId);
    const places = { roots, readable, temporary, home, userHome: homeFolder, configDir };
    const searchPath = environment['PATH'] ?? '';
    return sandboxOf({ settings, rules, isBackground, places, searchPath });
  };

  return {
    permissionRules,

    sandbox: async (of) => sandboxFor(of, await settingsOf(of), await permissionRules(of)),

    approvals: async (of) => (await settingsOf(of)).approvals,

    async hooks({ cwd, options }): Promise<SessionHooks> {
      const settings = await settingsOf({ cwd, options });
      const known = hookSets.get(settings);
      const { source: hosted = null, ask = null } = hostHooks ?? {};
      if (known !== undefined && known.hosted === hosted) return known.hooks;
      const source = readSettingsHooks(settings.layers, { projectDir: cwd, homeFolder });
      const env = { ...environment, ...settings.env };
      const set = createHookSet([...(hosted === null ? [] : [hosted]), source]);
      const hooks = { set, env, ...(ask !== null && { callbacks: ask }) };
      hookSets.set(settings, { hooks, hosted });
      return hooks;
    },

    async mcpServers({ sessionId, cwd, options, isBackground = false }) {
      const settings = await settingsOf({ cwd, options });
      const { layers, env: ofSettings, additionalDirectories, rules } = settings;
      const roots = [cwd, ...additionalDirectories];
      const sandbox = await sandboxFor(
        { sessionId, isBackground, roots, readable: [] },
        settings,
        rules,
      );
      const env = { ...environment, ...ofSettings };
      const found = await readConfiguration({
        cwd,
        configDir,
        homeFolder,
        given: mcpHost?.given ?? [],
        isStrict: mcpHost?.isStrict ?? false,
        layers,
        sources: options.settingSources ?? place.sources,
        env,
      });
      return { ...found, env, sandbox };
    },

    async subAgents({ cwd, options }): Promise<readonly SubAgentDefinition[]> {
      return subAgents({ ...definitionPlace({ cwd, options }), given: options.subAgents ?? [] });
    },

    async turnAttachments({ place, queryId, ...turn }): Promise<readonly TurnAttachment[]> {
      const { cwd, options } = place;
      const { attachments } = await collectTurnAttachments({
        ...turn,
        cwd,
        roots: [cwd, ...options.additionalDirectories],
        isMainThread: options.subAgent === undefined,
        prefetched: prefetches.of(queryId, turn.chain, { cwd, configDir }),
        skills: await skills(definitionPlace(place)),
        mayRead: readableBy(await permissionRules(place)),
        ...((sourcesOf(options)?.includes('user') ?? true) && { configDir }),
      });
      return attachments;
    },

    reattachFiles: async (paths, place) =>
      reattachFiles({
        paths,
        roots: [place.cwd, ...place.options.additionalDirectories],
        mayRead: readableBy(await permissionRules(place)),
      }),

    async conversationStart({ cwd, options, model, now }) {
      const { gitInstructions } = await settingsOf({ cwd, options });
      return buildSessionContext({
        cwd,
        configDir,
        homeFolder,
        additionalDirectories: options.additionalDirectories,
        platform: process.platform,
        now: now.toISOString(),
        model,
        sources: sourcesOf(options),
        gitEnvironment: gitInstructions ? environment : null,
        systemPrompt: options.systemPrompt,
        appendSystemPrompt: options.appendSystemPrompt,
      });
    },

    expandPrompt: async (text, place, runLine) =>
      expandPrompt(text, {
        ...definitionPlace(place),
        runLine,
        workingDirectory: place.cwd,
        roots: [place.cwd, ...place.options.additionalDirectories],
        mayRead: readableBy(await permissionRules(place)),
      }),

    skillTool(of) {
      const where = definitionPlace(of);
      const key = JSON.stringify(where);
      const tool = skillTools.get(key) ?? createSkillTool(() => skills(where));
      skillTools.set(key, tool);
      return tool;
    },

    async inventory(of) {
      const where = definitionPlace(of);
      const [commands, agents, found, plugins] = await Promise.all([
        listCommands(where),
        subAgents({ ...where, given: of.options.subAgents ?? [] }),
        skills(where),
        Promise.all((where.pluginDirs ?? []).map(readPlugin)),
      ]);
      return {
        commands,
        agents,
        skills: found.map(({ name }) => name),
        plugins: plugins.map(({ name, path }) => ({ name, path })),
      };
    },
  };
}
