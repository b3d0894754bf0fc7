import { Argument, Option, type Command as Program } from 'commander';
import { CliError } from '../cli-error';
import type { RunFlags } from '../command';
import { addAsGiven } from '../option-values';
import {
  addRunOptions,
  toRunFlags,
  toSettingsFlags,
  toWarnings,
  type RunOptionValues,
} from '../run-flags';

/** `everloop schedule …`. */
export type ScheduleCommand =
  | {
      readonly type: 'schedule';
      readonly action: 'create';
      readonly name: string;
      readonly prompt: string;
      readonly when: ScheduleTimes;
      readonly overlap: Overlap;
      /** A duration, as 10m: firings that were missed for longer are left out. */
      readonly catchUp: string;
      readonly flags: RunFlags;
      /** Options that were given and have no effect yet, a sentence each. */
      readonly warnings: readonly string[];
    }
  | { readonly type: 'schedule'; readonly action: 'ls'; readonly json: boolean }
  | {
      readonly type: 'schedule';
      readonly action: 'show';
      readonly name: string;
      readonly json: boolean;
    }
  | {
      readonly type: 'schedule';
      readonly action: 'delete' | 'pause' | 'resume' | 'trigger';
      readonly name: string;
    };

export interface ScheduleTimes {
  /** Cron expressions. */
  readonly cron: readonly string[];
  /** A duration, as 30m; null: none. */
  readonly every: string | null;
  /** IANA name, for the cron expressions; null: UTC. */
  readonly timezone: string | null;
}

/** What a firing does while the session of an earlier one still runs. */
export const OVERLAPS = ['skip', 'buffer-one', 'buffer-all', 'stop-other', 'allow'] as const;
export type Overlap = (typeof OVERLAPS)[number];

const ACTIONS = ['create', 'ls', 'show', 'delete', 'pause', 'resume', 'trigger'] as const;

interface Values extends RunOptionValues {
  readonly cron?: readonly string[];
  readonly every?: string;
  readonly timezone?: string;
  readonly overlap: Overlap;
  readonly catchUp: string;
  readonly json?: true;
}

export function parseSchedule(program: Program, args: readonly string[]): ScheduleCommand {
  addRunOptions(program)
    .description('Begins sessions at given times.')
    .addArgument(new Argument('<action>').choices(ACTIONS))
    .argument('[name]', 'of the schedule')
    .argument('[prompt]', 'what each of its sessions does')
    .option('--cron <expression>', 'when, as "0 9 * * 1-5"; as often as needed', addAsGiven)
    .option('--every <duration>', 'how often, as 30m, 6h or 1d')
    .option('--timezone <name>', 'of the cron expressions, as Europe/Berlin; else UTC')
    .addOption(
      new Option('--overlap <policy>', 'while the session before still runs')
        .choices(OVERLAPS)
        .default('skip'),
    )
    .option('--catch-up <duration>', 'how late a missed firing is made up for', '1h')
    .option('--json', 'one object a line');
  const values = program.parse(args, { from: 'user' }).opts<Values>();
  const [action, name, prompt] = program.processedArgs as [
    ScheduleCommand['action'],
    string | undefined,
    string | undefined,
  ];
  const json = values.json ?? false;
  if (action === 'ls') return { type: 'schedule', action, json };
  if (name === undefined) throw new CliError(`everloop schedule ${action} needs a name.`);
  if (action === 'show') return { type: 'schedule', action, name, json };
  if (action !== 'create') return { type: 'schedule', action, name };
  return toCreate(name, prompt, values, toWarnings(program));
}

function toCreate(
  name: string,
  prompt: string | undefined,
  values: Values,
  warnings: readonly string[],
): ScheduleCommand {
  const { cron = [], every = null, timezone = null, overlap, catchUp } = values;
  if (!/^[a-z0-9][\w.-]{0,63}$/i.test(name)) {
    throw new CliError(
      `A schedule cannot be named "${name}". Take up to 64 letters, digits, dots, dashes and underscores.`,
    );
  }
  if (prompt === undefined || prompt.trim() === '') {
    throw new CliError('everloop schedule create needs a prompt, as its last argument.');
  }
  if (cron.length === 0 && every === null) {
    throw new CliError('Say when: --cron "0 9 * * 1-5", or --every 30m.');
  }
  requireDuration('--every', every ?? '1d');
  requireDuration('--catch-up', catchUp);
  refuseWhatNobodyKeeps(values);
  const { sources } = toSettingsFlags(values);
  return {
    type: 'schedule',
    action: 'create',
    name,
    prompt,
    when: { cron, every, timezone },
    overlap,
    catchUp,
    flags: { ...toRunFlags(values), ...(sources !== null && { settingSources: sources }) },
    warnings,
  };
}

function requireDuration(flag: string, text: string): void {
  if (/^[1-9]\d*(s|m|h|d)$/.test(text)) return;
  throw new CliError(`${flag} ${text}: give a whole number and s, m, h or d, as 30m.`);
}

/** A firing has no command behind it, and a session of its own. */
function refuseWhatNobodyKeeps(values: Values): void {
  const given = [
    values.resume !== undefined && '--resume',
    values.continue === true && '--continue',
    values.forkSession === true && '--fork-session',
    values.sessionId !== undefined && '--session-id',
    !values.sessionPersistence && '--no-session-persistence',
    values.mcpConfig !== undefined && '--mcp-config',
    values.settings !== undefined && '--settings',
    values.permissionPromptTool === 'stdio' && '--permission-prompt-tool stdio',
  ].filter((flag) => flag !== false);
  if (given.length === 0) return;
  throw new CliError(
    `${given.join(' and ')} cannot be scheduled: each firing begins a session of its own, without this command. Leave it out; settings and servers of the folder count.`,
  );
}
