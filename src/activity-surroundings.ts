import type { ExpandedPrompt, Place, SessionHooks, Surroundings } from './activities/deps';
import type { Config } from './config';
import { collectTurnAttachments } from './context/attachments/collect';
import { createPrefetches } from './context/attachments/prefetches';
import type { TurnAttachment } from './context/attachments/turn-attachment';
import { attachMentions } from './context/mentions';
import { createSubAgentLists, type SubAgentDefinition } from './context/sub-agent-definition';
import { reattachFiles } from './context/reattached-file';
import { buildSessionContext } from './context/session-context';
import { resolveSlashCommand } from './context/slash-command';
import type { HostHooks } from './hooks/host-hooks';
import { createHookSet, type HookSource } from './hooks/hook-set';
import { readSettingsHooks } from './hooks/hook-settings';
import { toRules, type PermissionRule, type RuleOrigin } from './permissions/rule';
import { loadSettings, type Settings, type SettingsPlace } from './settings/settings';

export interface SettingsChoice extends Pick<SettingsPlace, 'cli' | 'sources'> {
  /** Hooks of the program that hosts the session; absent: nobody hosts it. */
  readonly hostHooks?: HostHooks;
}

/** Settings files may change while a session runs; they are looked at again after this long. */
const SETTINGS_FRESH_MS = 1_000;

/** What a session's folder and the user's own files add to a query, read where the session is served. */
export function createSurroundings(
  config: Pick<Config, 'configDir' | 'userHome'>,
  choice: SettingsChoice,
  environment: Readonly<Record<string, string | undefined>>,
): Surroundings {
  const { configDir, userHome: homeFolder } = config;
  const loaded = new Map<string, { readonly atMs: number; readonly settings: Promise<Settings> }>();

  const { hostHooks, ...place } = choice;
  const hookSets = new WeakMap<
    Settings,
    { readonly hooks: SessionHooks; readonly hosted: HookSource | null }
  >();
  const prefetches = createPrefetches();
  const subAgents = createSubAgentLists();

  const settingsOf = (cwd: string): Promise<Settings> => {
    const known = loaded.get(cwd);
    if (known !== undefined && Date.now() - known.atMs < SETTINGS_FRESH_MS) return known.settings;
    const settings = loadSettings({ cwd, configDir, homeFolder, ...place });
    loaded.set(cwd, { atMs: Date.now(), settings });
    return settings;
  };

  return {
    async permissionRules({ cwd, options }): Promise<readonly PermissionRule[]> {
      const origin: RuleOrigin = {
        source: 'cli',
        workingDirectory: cwd,
        settingsFolder: cwd,
        homeFolder,
      };
      const { rules } = await settingsOf(cwd);
      return [
        ...toRules('deny', options.disallowedTools, origin),
        ...toRules('allow', options.allowedTools, origin),
        ...rules,
      ];
    },

    async hooks({ cwd }): Promise<SessionHooks> {
      const settings = await settingsOf(cwd);
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

    async subAgents({ cwd, options }): Promise<readonly SubAgentDefinition[]> {
      return subAgents.of({ cwd, configDir, given: options.subAgents ?? [] });
    },

    async turnAttachments({ place, queryId, ...turn }): Promise<readonly TurnAttachment[]> {
      const { cwd, options } = place;
      const { attachments } = await collectTurnAttachments({
        ...turn,
        cwd,
        roots: [cwd, ...options.additionalDirectories],
        isMainThread: true,
        prefetched: prefetches.of(queryId, turn.chain, { cwd, configDir }),
      });
      return attachments;
    },

    reattachFiles: (paths, { cwd, options }) =>
      reattachFiles({ paths, roots: [cwd, ...options.additionalDirectories] }),

    conversationStart: ({ cwd, options, model, now }) =>
      buildSessionContext({
        cwd,
        configDir,
        homeFolder,
        additionalDirectories: options.additionalDirectories,
        platform: process.platform,
        now: now.toISOString(),
        model,
        systemPrompt: options.systemPrompt,
        appendSystemPrompt: options.appendSystemPrompt,
      }),

    expandPrompt: (text, place) => expandPrompt(text, place, configDir),
  };
}

async function expandPrompt(
  prompt: string,
  { cwd, options }: Place,
  configDir: string,
): Promise<ExpandedPrompt> {
  const command = await resolveSlashCommand({ prompt, cwd, configDir });
  switch (command.type) {
    case 'unknown':
      return { type: 'local', answer: `Unknown command: /${command.name}` };
    case 'local':
      if (command.name === 'compact') return { type: 'compact' };
      return { type: 'local', answer: `/${command.name} has nothing to say yet in this version.` };
    case 'prompt':
    case 'none': {
      const text = command.type === 'prompt' ? command.text : prompt;
      const roots = [cwd, ...options.additionalDirectories];
      const mentioned = await attachMentions({ prompt: text, workingDirectory: cwd, roots });
      return { type: 'prompt', text, attachments: mentioned === null ? [] : [mentioned] };
    }
  }
}
