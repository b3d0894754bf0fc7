import { Command as Program, CommanderError, Option } from 'commander';
import type { Command, InputFormat, InteractiveCommand, PrintCommand } from './command';
import { CliError } from './cli-error';
import { addOutputOptions, toOutputOptions, type OutputOptionValues } from './output-flags';
import {
  addRunOptions,
  toRunFlags,
  toSettingsFlags,
  toWarnings,
  type RunOptionValues,
} from './run-flags';
import { toSessionChoice } from './session-choice';
import { SUBCOMMANDS } from './subcommands';

/** Reads the arguments after the program's name. Runs nothing and prints nothing.
 *  Fails: CliError that names the argument, the value and the cure. */
export function parseCommand(args: readonly string[], version: string): Command {
  const [first = '', ...rest] = args;
  const subcommand = SUBCOMMANDS.get(first);
  const shown: string[] = [];
  const program = new Program(subcommand ? `everloop ${first}` : 'everloop')
    .exitOverride()
    .configureOutput({ writeOut: (text) => shown.push(text), writeErr: () => undefined });
  try {
    return subcommand ? subcommand(program, rest) : parseMain(program, args, version);
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return { type: 'show', text: shown.join('') };
    const message = error.message.replace(/^error: /, '');
    throw new CliError(`${message} (everloop --help lists all options)`);
  }
}

interface MainOptionValues extends RunOptionValues, OutputOptionValues {
  readonly print?: true;
  readonly inputFormat: InputFormat;
  readonly allowDangerouslySkipPermissions?: true;
}

function parseMain(program: Program, args: readonly string[], version: string): Command {
  program
    .description('A durable agent: kill any process at any moment and it goes on.')
    .version(version, '-v, --version')
    .argument('[prompt]', 'what to do; read from stdin when absent')
    .option('-p, --print', 'answer and exit')
    .option('--allow-dangerously-skip-permissions', 'bypassPermissions may be chosen later')
    .addOption(
      new Option('--input-format <format>', 'form of stdin')
        .choices(['text', 'stream-json'])
        .default('text'),
    )
    .addHelpText('after', `\nCommands: ${[...SUBCOMMANDS.keys()].join(', ')}`);
  addRunOptions(addOutputOptions(program)).parse(args, { from: 'user' });
  const values = program.opts<MainOptionValues>();
  const isInteractive = !values.print && values.inputFormat === 'text';
  return isInteractive ? toInteractiveCommand(program, values) : toPrintCommand(program, values);
}

function toInteractiveCommand(program: Program, values: MainOptionValues): InteractiveCommand {
  return {
    type: 'interactive',
    prompt: program.args[0] ?? null,
    session: toSessionChoice(values),
    persistent: values.sessionPersistence,
    run: toRunFlags(values),
    settings: toSettingsFlags(values),
    warnings: toWarnings(program),
  };
}

function toPrintCommand(program: Program, values: MainOptionValues): PrintCommand {
  const output = toOutputOptions(values);
  if (values.inputFormat === 'stream-json' && output.format !== 'stream-json') {
    throw new CliError(
      `--input-format stream-json needs --output-format stream-json, not '${output.format}'. Add it.`,
    );
  }
  const run = toRunFlags(values);
  return {
    type: 'print',
    prompt: program.args[0] ?? null,
    inputFormat: values.inputFormat,
    output,
    mayBypassPermissions:
      values.allowDangerouslySkipPermissions === true || run.permissionMode === 'bypassPermissions',
    session: toSessionChoice(values),
    persistent: values.sessionPersistence,
    run,
    settings: toSettingsFlags(values),
    warnings: toWarnings(program),
  };
}
