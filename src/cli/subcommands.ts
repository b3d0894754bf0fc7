import { Argument, Option, type Command as Program } from 'commander';
import type { Command, ServerCommand, ServiceCommand } from './command';
import { CliError } from './cli-error';
import { parseCodecServer } from './codec-server';
import { parseCrashTest } from './crash-test';
import { parseApproval } from './operator/approval-command';
import { parseBudget, parseSet } from './operator/adjust-command';
import { parsePause } from './operator/pause';
import { parseLogs, parseShow } from './operator/reading-commands';
import { parseSchedule } from './operator/schedule-command';
import { parseSteer } from './operator/steer-command';
import { parseCollect } from './operator/collect-command';
import { parseDelete } from './operator/delete-command';
import { parseWorkspace } from './operator/workspace-command';
import { parseFork } from './operator/fork-command';
import { parseReplay } from './operator/replay-command';
import { parseRewind } from './operator/rewind-command';
import { parseKeys } from './keys/keys-command';
import { addToList, listenOption, toPort } from './option-values';
import { addOutputOptions, toOutputOptions, type OutputOptionValues } from './output-flags';
import {
  addRunOptions,
  toRunFlags,
  toSettingsFlags,
  toWarnings,
  type RunOptionValues,
} from './run-flags';
import { toSessionChoice } from './session-choice';

interface WorkerOptionValues {
  readonly tools?: readonly string[];
  readonly metrics?: string;
  readonly health?: string;
}

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
        )
        .addOption(listenOption('--metrics', 'answer Prometheus there (docs/metrics.md)'))
        .addOption(listenOption('--health', 'answer /healthz and /readyz there'));
      const { tools = [], metrics, health } = parsed(program, args).opts<WorkerOptionValues>();
      return {
        type: 'worker',
        files: tools,
        ...(metrics !== undefined && { metricsAddress: metrics }),
        ...(health !== undefined && { healthAddress: health }),
      };
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
        // Nobody sits there, but somebody may look in: it waits for them instead of giving up.
        run: { asks: 'people', ...toRunFlags(values) },
        settings: toSettingsFlags(values),
        warnings: toWarnings(program),
      };
    },
  ],
  [
    'ls',
    (program, args) => {
      program
        .description('Lists sessions, newest first.')
        .option('--query <filter>', 'visibility query, as \'EverloopStatus = "awaiting-approval"\'')
        .option('--json', 'one object a line');
      const { json = false, query = null } = parsed(program, args).opts<{
        json?: true;
        query?: string;
      }>();
      return { type: 'list', json, query };
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
      program
        .description('Stops what sessions are doing.')
        .argument('<session...>', 'session ids, prefixes of them, or visibility queries')
        .option('--json', 'one object a line');
      const { json = false } = parsed(program, args).opts<{ json?: true }>();
      return { type: 'stop', selectors: program.args, json };
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
  ['steer', parseSteer],
  ['pause', parsePause('pause')],
  ['resume', parsePause('resume')],
  ['show', parseShow],
  ['logs', parseLogs],
  ['budget', parseBudget],
  ['set', parseSet],
  ['schedule', parseSchedule],
  ['workspace', parseWorkspace],
  ['crash-test', parseCrashTest],
  [
    'scripted-model',
    (program, args) => {
      program
        .description('Plays written replies as a Messages API of this machine; no key is needed.')
        .argument('<script>', 'JSON file or JavaScript module (docs/crash-testing.md)')
        .option('--port <n>', 'on 127.0.0.1; 0: any free one', toPort, 0);
      const { port } = parsed(program, args).opts<{ port: number }>();
      return { type: 'scripted_model', script: firstArgument(program), port };
    },
  ],
  ['approve', parseApproval('approve')],
  ['deny', parseApproval('deny')],
  ['answer', parseApproval('answer')],
  ['fork', parseFork],
  ['replay', parseReplay],
  ['rewind', parseRewind],
  ['keys', parseKeys],
  ['codec-server', parseCodecServer],
  ['delete', parseDelete],
  ['collect', parseCollect],
]);
