import { Option, type Command as Program } from 'commander';
import type { PermissionMode } from '../../loop/state';
import { resolveModel } from '../../settings/model-alias';
import type { Adjustment } from '../../workflows/interface';
import { CliError } from '../cli-error';
import { PERMISSION_MODES } from '../command';
import { toAmount, toPositiveInteger } from '../option-values';

/** `everloop budget` and `everloop set`. */
export interface AdjustCommand {
  readonly type: 'adjust';
  /** Session ids, prefixes, visibility queries. */
  readonly selectors: readonly string[];
  /** null: only a look. */
  readonly adjustment: Adjustment | null;
  readonly json: boolean;
}

const SESSIONS = ['<session...>', 'session ids, prefixes of them, or visibility queries'] as const;
const JSON_LINES = ['--json', 'one object a line'] as const;

interface BudgetValues {
  readonly usd?: number;
  readonly turns?: number;
  readonly tokens?: number;
  readonly minutes?: number;
  readonly json?: true;
}

export function parseBudget(program: Program, args: readonly string[]): AdjustCommand {
  program
    .description('Raises or lowers what running sessions may use; without a limit, shows it.')
    .argument(...SESSIONS)
    .option('--usd <amount>', 'USD in all, of the session', toAmount)
    .option('--turns <n>', 'turns in all, of the running query', toPositiveInteger)
    .option('--tokens <n>', 'tokens in all, cache reads left out', toPositiveInteger)
    .option('--minutes <n>', 'minutes of running in all', toAmount)
    .option(...JSON_LINES)
    .parse(args, { from: 'user' });
  const { usd, turns, tokens, minutes, json = false } = program.opts<BudgetValues>();
  const adjustment: Adjustment = {
    ...(usd !== undefined && { maxBudgetUsd: usd }),
    ...(turns !== undefined && { maxTurns: turns }),
    ...(tokens !== undefined && { maxTokens: tokens }),
    ...(minutes !== undefined && { maxMs: minutes * 60_000 }),
  };
  const isLook = Object.keys(adjustment).length === 0;
  return {
    type: 'adjust',
    selectors: program.args,
    adjustment: isLook ? null : adjustment,
    json,
  };
}

interface SetValues {
  readonly model?: string;
  readonly permissionMode?: PermissionMode;
  readonly maxTurns?: number;
  readonly json?: true;
}

export function parseSet(program: Program, args: readonly string[]): AdjustCommand {
  program
    .description('Changes model, mode or turns of running sessions, from their next turn on.')
    .argument(...SESSIONS)
    .option('--model <model>', 'model of the next request')
    .addOption(
      new Option('--permission-mode <mode>', 'what may be done unasked').choices(PERMISSION_MODES),
    )
    .option('--max-turns <n>', 'turns in all, of the running query', toPositiveInteger)
    .option(...JSON_LINES)
    .parse(args, { from: 'user' });
  const { model, permissionMode, maxTurns, json = false } = program.opts<SetValues>();
  const adjustment: Adjustment = {
    ...(model !== undefined && { model: resolveModel(model) }),
    ...(permissionMode !== undefined && { permissionMode }),
    ...(maxTurns !== undefined && { maxTurns }),
  };
  if (Object.keys(adjustment).length === 0) {
    throw new CliError(
      'everloop set needs something to change: --model, --permission-mode or --max-turns.',
    );
  }
  return { type: 'adjust', selectors: program.args, adjustment, json };
}
