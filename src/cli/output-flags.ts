import { Option, type Command as Program } from 'commander';
import type { OutputOptions } from './command';

/** Options of every command that prints a session, as commander hands them over. */
export interface OutputOptionValues {
  readonly outputFormat: OutputOptions['format'];
  readonly verbose?: true;
  readonly includePartialMessages?: true;
  readonly replayUserMessages?: true;
  readonly includeHookEvents?: true;
}

export function addOutputOptions(program: Program): Program {
  return program
    .addOption(
      new Option('--output-format <format>', 'form of stdout')
        .choices(['text', 'json', 'stream-json'])
        .default('text'),
    )
    .option('--verbose', 'every message, not only the result (json)')
    .option('--include-partial-messages', 'stream events as they arrive (stream-json)')
    .option('--include-hook-events', 'when hooks run and what they print (stream-json)')
    .option('--replay-user-messages', 'repeat prompts on stdout (stream-json)');
}

export function toOutputOptions(values: OutputOptionValues): OutputOptions {
  return {
    format: values.outputFormat,
    verbose: values.verbose ?? false,
    includePartials: values.includePartialMessages ?? false,
    replayPrompts: values.replayUserMessages ?? false,
    includeHooks: values.includeHookEvents ?? false,
  };
}
