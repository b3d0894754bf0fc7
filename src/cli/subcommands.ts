import { Argument, Option, type Command as Program } from 'commander';
import type { Command, ServerCommand, ServiceCommand } from './command';
import { CliError } from './cli-error';
import { parseCrashTest } from './crash-test';
import { addToList } from './option-values';
import { addOutputOptions, toOutputOptions, type OutputOptionValues } from './output-flags';
import {
  addRunOptions,
  toRunFlags,
  toSettingsFlags,
  toWarnings,
  type RunOptionValues,
} from './run-flags';
import { toSessionChoice } from './session-choice';

type Parse = (program: Program, args: readonly string[]) => Command;

const parsed = (program: Program, args: readonly string[]): Program =>
  program.parse(args, { from: 'user' });
const firstArgument = (program: Program): string => program.processedArgs[0] as string;

/** A subcommand is one only as the very first word, so that `-p "ls"` stays a prompt. */
export const SUBCOMMANDS: ReadonlyMap<string, Parse> = new Map<string, Parse>([
  [
    'worker',
    (program, args) => {
      program
        .description('Serves background sessions until it is stopped.')
        .option(
          '--tools <files...>',
          'modules with tools of your own (docs/own-tools.md)',
          addToList,
        );
      const { tools = [] } = parsed(program, args).opts<{ tools?: readonly string[] }>();
      return { type: 'worker', files: tools };
    },
  ],
  [
    'run',
    (program, args) => {
      addRunOptions(program)
        .description('Starts a session that goes on without this command.')
        .argument('<prompt>', 'what to do')
        .addOption(new Option('--detach', 'print the session id and leave'));
      const values = parsed(program, args).opts<RunOptionValues & { detach?: true }>();
      if (!values.detach) {
        throw new CliError('everloop run needs --detach. To wait for the answer: everloop -p.');
      }
      return {
        type: 'run',
        prompt: firstArgument(program),
        session: toSessionChoice(values),
        persistent: values.sessionPersistence,
        run: toRunFlags(values),
        settings: toSettingsFlags(values),
        warnings: toWarnings(program),
      };
    },
  ],
  [
    'ls',
    (program, args) => {
      program.description('Lists sessions, newest first.').option('--json', 'one object a line');
      return { type: 'list', json: parsed(program, args).opts<{ json?: true }>().json ?? false };
    },
  ],
  [
    'attach',
    (program, args) => {
      addOutputOptions(program)
        .description('Prints a session from its beginning and follows it.')
        .argument('<id>', 'session id');
      const values = parsed(program, args).opts<OutputOptionValues>();
      return { type: 'attach', sessionId: firstArgument(program), output: toOutputOptions(values) };
    },
  ],
  [
    'stop',
    (program, args) => {
      program.description('Stops what a session is doing.').argument('<id>', 'session id');
      return { type: 'stop', sessionId: firstArgument(parsed(program, args)) };
    },
  ],
  [
    'server',
    (program, args) => {
      program
        .description('The local Temporal server of this home folder.')
        .addArgument(new Argument('<action>').choices(['start', 'stop', 'status']))
        .option('--json', 'status as one object');
      const { json } = parsed(program, args).opts<{ json?: true }>();
      const action = firstArgument(program) as ServerCommand['action'];
      return { type: 'server', action, json: json ?? false };
    },
  ],
  [
    'service',
    (program, args) => {
      program
        .description('Lets the system start the background Worker and the server.')
        .addArgument(new Argument('<action>').choices(['install', 'uninstall', 'status']))
        .option('--print', 'show what install would write, and change nothing');
      const { print } = parsed(program, args).opts<{ print?: true }>();
      const action = firstArgument(program) as ServiceCommand['action'];
      if (print === true && action !== 'install') {
        throw new CliError(`--print shows what install would write; service ${action} has none.`);
      }
      return { type: 'service', action, print: print ?? false };
    },
  ],
  [
    'doctor',
    (program, args) => {
      program
        .description('Checks what everloop needs, and names the cure for what is missing.')
        .option('--repair', 'repair what can be repaired');
      const { repair } = parsed(program, args).opts<{ repair?: true }>();
      return { type: 'doctor', repair: repair ?? false };
    },
  ],
  ['crash-test', parseCrashTest],
]);
