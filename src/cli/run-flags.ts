import { Option, type Command as Program } from 'commander';
import type { PermissionMode } from '../loop/state';
import type { SubAgentDefinition } from '../context/sub-agent-definition';
import { resolveModel } from '../settings/model-alias';
import { EFFORTS, ON_BUDGET, type Effort, type OnBudget } from '../transcript/message';
import type { JsonSchema } from '../tools/structured-output';
import { PERMISSION_MODES, type RunFlags, type SettingsFlags } from './command';
import type { SettingSource } from './command';
import { NOT_YET } from './not-yet';
import { toSubAgents } from './sub-agent-flag';
import {
  addAsGiven,
  addPath,
  addToList,
  toAmount,
  toJsonSchema,
  toPositiveInteger,
  toSettingSources,
  toTokenCount,
  toUuid,
} from './option-values';

/** Options of every command that starts a run, as commander hands them over. */
export interface RunOptionValues {
  readonly model?: string;
  readonly maxTurns?: number;
  readonly permissionMode?: PermissionMode;
  readonly dangerouslySkipPermissions?: true;
  readonly allowedTools?: readonly string[];
  readonly disallowedTools?: readonly string[];
  readonly tools?: readonly string[];
  readonly systemPrompt?: string;
  readonly appendSystemPrompt?: string;
  readonly addDir?: readonly string[];
  readonly pluginDir?: readonly string[];
  readonly maxThinkingTokens?: number;
  readonly effort?: Effort;
  readonly betas?: readonly string[];
  readonly fallbackModel?: string;
  readonly permissionPromptTool?: string;
  readonly maxBudgetUsd?: number;
  readonly maxTokens?: number;
  readonly maxMinutes?: number;
  readonly onBudget?: OnBudget;
  readonly taskBudget?: number;
  readonly jsonSchema?: JsonSchema;
  readonly agents?: readonly SubAgentDefinition[];
  readonly agent?: string;
  readonly thinking?: 'adaptive' | 'enabled' | 'disabled';
  readonly resume?: string;
  readonly continue?: true;
  readonly sessionId?: string;
  readonly forkSession?: true;
  readonly resumeSessionAt?: string;
  readonly resumeDropsTurn?: string;
  readonly sessionPersistence: boolean;
  readonly settings?: string;
  readonly mcpConfig?: readonly string[];
  readonly strictMcpConfig?: true;
  readonly settingSources?: readonly SettingSource[];
}

export function addRunOptions(program: Program): Program {
  program
    .option('--model <model>', 'model for this run')
    .option('--max-turns <n>', 'stop after this many turns', toPositiveInteger)
    .addOption(
      new Option('--permission-mode <mode>', 'what may be done unasked').choices(PERMISSION_MODES),
    )
    .option('--dangerously-skip-permissions', 'same as --permission-mode bypassPermissions')
    .option('--allowedTools, --allowed-tools <rules...>', 'rules of what is allowed', addToList)
    .option(
      '--disallowedTools, --disallowed-tools <rules...>',
      'rules of what is denied',
      addToList,
    )
    .option('--tools <names...>', 'tools on offer; "" for none, "default" for all', addToList)
    .option('--system-prompt <text>', 'replaces the default system prompt')
    .option('--append-system-prompt <text>', 'is added to the system prompt')
    .option('--add-dir <folders...>', 'further folders that tools may touch', addPath)
    .option('--plugin-dir <folder>', 'a plugin to load, as often as needed', addPath)
    .option('--max-thinking-tokens <n>', 'tokens of extended thinking; 0: off', toTokenCount)
    .addOption(
      new Option('--thinking <mode>', 'extended thinking').choices([
        'adaptive',
        'enabled',
        'disabled',
      ]),
    )
    .addOption(new Option('--effort <level>', 'how much goes into an answer').choices(EFFORTS))
    .option('--betas <names...>', 'features of the API to ask for', addToList)
    .option(
      '--permission-prompt-tool <name>',
      'who is asked what rules leave open; "stdio": the program that started us, "people": whoever runs everloop approve',
    )
    .option('--agent <name>', 'agent of everloop.config.ts that answers')
    .option('--agents <json>', 'agents that work may be handed to', toSubAgents)
    .option('--json-schema <schema>', 'the answer is a value of this JSON Schema', toJsonSchema)
    .option('--fallback-model <model>', 'takes over when the model is overloaded')
    .option('--max-budget-usd <amount>', 'stop when this is spent', toAmount)
    .option('--max-tokens <n>', 'stop when these are used, cache reads left out', toPositiveInteger)
    .option('--max-minutes <n>', 'stop when it has run this long', toAmount)
    .addOption(
      new Option('--on-budget <what>', 'at a limit: ask people for more, or stop').choices(
        ON_BUDGET,
      ),
    )
    .option('--task-budget <tokens>', 'tokens for the task, told to the model', toPositiveInteger)
    .option('-r, --resume <id>', 'go on with the session of this id')
    .option('-c, --continue', 'go on with the newest session of this folder')
    .option('--fork-session', 'go on in a new session that begins like the one given')
    .option('--resume-session-at <uuid>', 'leave out what came after this message', toUuid)
    .option(
      '--resume-drops-turn <uuid>',
      'refuse if that is more than the turn of this prompt',
      toUuid,
    )
    .option('--session-id <uuid>', 'id of the new session', toUuid)
    .option('--no-session-persistence', 'keep nothing when the session has ended')
    .option('--mcp-config <files-or-json...>', 'MCP servers', addAsGiven)
    .option('--strict-mcp-config', 'only MCP servers of --mcp-config')
    .option('--settings <file-or-json>', 'further settings')
    .option('--setting-sources <list>', 'settings to load: user,project,local', toSettingSources);
  for (const { flags, reason } of NOT_YET) {
    program.addOption(new Option(flags, `(no effect yet: ${reason})`).hideHelp());
  }
  return program;
}

/** Only what was said: an absent field leaves the choice to the settings. */
export function toRunFlags(values: RunOptionValues): RunFlags {
  const mode = values.dangerouslySkipPermissions ? 'bypassPermissions' : values.permissionMode;
  const thinking = values.thinking === 'disabled' ? 0 : values.maxThinkingTokens;
  return {
    ...(values.model !== undefined && { model: values.model }),
    ...(values.maxTurns !== undefined && { maxTurns: values.maxTurns }),
    ...(mode !== undefined && { permissionMode: mode }),
    ...(values.allowedTools && { allowedTools: values.allowedTools }),
    ...(values.disallowedTools && { disallowedTools: values.disallowedTools }),
    ...(values.tools && { tools: toToolSelection(values.tools) }),
    ...(values.systemPrompt !== undefined && { systemPrompt: values.systemPrompt }),
    ...(values.appendSystemPrompt !== undefined && {
      appendSystemPrompt: values.appendSystemPrompt,
    }),
    ...(values.addDir && { additionalDirectories: values.addDir }),
    ...(values.pluginDir && { pluginDirs: values.pluginDir }),
    ...(thinking !== undefined && { maxThinkingTokens: thinking }),
    ...(values.effort !== undefined && { effort: values.effort }),
    ...(values.betas && { betas: values.betas }),
    ...(values.permissionPromptTool === 'stdio' && { asks: 'host' }),
    ...(values.permissionPromptTool === 'people' && { asks: 'people' }),
    ...(values.fallbackModel !== undefined && {
      // A list names further ones; the first takes over.
      fallbackModel: resolveModel(values.fallbackModel.split(',')[0]?.trim()),
    }),
    ...(values.agent !== undefined && { agent: values.agent }),
    ...(values.agents !== undefined && { subAgents: values.agents }),
    ...(values.jsonSchema !== undefined && { jsonSchema: values.jsonSchema }),
    ...(values.maxBudgetUsd !== undefined && { maxBudgetUsd: values.maxBudgetUsd }),
    ...(values.maxTokens !== undefined && { maxTokens: values.maxTokens }),
    ...(values.maxMinutes !== undefined && { maxMinutes: values.maxMinutes }),
    ...(values.onBudget && { onBudget: values.onBudget }),
    ...(values.taskBudget !== undefined && { taskBudget: values.taskBudget }),
  };
}

function toToolSelection(names: readonly string[]): readonly string[] | null {
  return names.includes('default') ? null : names;
}

export function toSettingsFlags(values: RunOptionValues): SettingsFlags {
  return {
    extra: values.settings ?? null,
    sources: values.settingSources ?? null,
    ...(values.mcpConfig && { mcpConfigs: values.mcpConfig }),
    ...(values.strictMcpConfig && { strictMcp: true }),
  };
}

/** Sentences for what was given and has no effect. */
export function toWarnings(program: Program): readonly string[] {
  const given = NOT_YET.filter(({ flags }) => {
    const option = new Option(flags);
    return program.getOptionValueSource(option.attributeName()) === 'cli';
  });
  return given.map(({ flags, reason }) => `${longFlag(flags)} has no effect yet: ${reason}.`);
}

function longFlag(flags: string): string {
  return /--[a-z-]+/.exec(flags)?.[0] ?? flags;
}
