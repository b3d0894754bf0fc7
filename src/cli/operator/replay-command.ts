import type { Command as Program } from 'commander';
import { resolveModel } from '../../settings/model-alias';
import { toPositiveInteger } from '../option-values';

export interface ReplayCommand {
  readonly type: 'replay';
  /** Id of a session, or the beginning of one. */
  readonly session: string;
  /** null: the recorded one. */
  readonly model: string | null;
  /** Said instead of all recorded prompts; null: those. */
  readonly prompt: string | null;
  /** null: the recorded one. */
  readonly systemPrompt: string | null;
  /** Of each prompt; null: twice what was recorded, and ten. */
  readonly maxTurns: number | null;
  readonly json: boolean;
}

interface ReplayValues {
  readonly model?: string;
  readonly prompt?: string;
  readonly systemPrompt?: string;
  readonly maxTurns?: number;
  readonly json?: true;
}

export function parseReplay(program: Program, args: readonly string[]): ReplayCommand {
  program
    .description(
      'Asks a model again what a session was asked, with the recorded tool results. Runs no tool and keeps nothing.',
    )
    .argument('<session>', 'session id, or the beginning of one')
    .option('--model <model>', 'another model')
    .option('--prompt <text>', 'said instead of the recorded prompts')
    .option('--system-prompt <text>', 'another system prompt')
    .option('--max-turns <n>', 'stop after this many turns', toPositiveInteger)
    .option('--json', 'one object')
    .parse(args, { from: 'user' });
  const values = program.opts<ReplayValues>();
  return {
    type: 'replay',
    session: program.processedArgs[0] as string,
    model: values.model === undefined ? null : resolveModel(values.model),
    prompt: values.prompt ?? null,
    systemPrompt: values.systemPrompt ?? null,
    maxTurns: values.maxTurns ?? null,
    json: values.json ?? false,
  };
}
