import type { Command as Program } from 'commander';
import { CliError } from '../cli-error';
import type { PrintCommand } from '../command';
import { addOutputOptions, toOutputOptions, type OutputOptionValues } from '../output-flags';
import {
  addRunOptions,
  toRunFlags,
  toSettingsFlags,
  toWarnings,
  type RunOptionValues,
} from '../run-flags';

export interface ForkCommand {
  readonly type: 'fork';
  /** Id of a session, or the beginning of one. */
  readonly session: string;
  /** `turn:N` or a uuid; null: at its end. */
  readonly at: string | null;
  /** Of the new session; null: a new id. */
  readonly sessionId: string | null;
  /** Files go back to the place as well: both sessions work in the same folder. */
  readonly files: boolean;
  readonly json: boolean;
  /** What the new session is asked at once, but for its id; null: nothing. */
  readonly ask: Omit<PrintCommand, 'session'> | null;
}

interface ForkValues extends RunOptionValues, OutputOptionValues {
  readonly at?: string;
  readonly files?: true;
  readonly json?: true;
}

export function parseFork(program: Program, args: readonly string[]): ForkCommand {
  addRunOptions(addOutputOptions(program))
    .description('Begins a new session with the conversation of another, up to a place in it.')
    .argument('<session>', 'session id, or the beginning of one')
    .argument('[prompt]', 'what to do in the new session')
    .option(
      '--at <place>',
      'turn:N: behind that turn; a uuid: behind that message (default: the end)',
    )
    .option('--files', 'files go back to that place, too; without it they stay as they are')
    .option('--json', 'the new session as one object')
    .parse(args, { from: 'user' });
  const values = program.opts<ForkValues>();
  refuseOtherSessions(values);
  const [session, prompt] = program.processedArgs as [string, string | undefined];
  const { at = null, sessionId = null, files = false, json = false } = values;
  if (json && prompt !== undefined) {
    throw new CliError(
      '--json tells of a fork without a prompt. For the answer: --output-format json.',
    );
  }
  const ask = prompt === undefined ? null : toAsk(program, values, prompt);
  return { type: 'fork', session, at, sessionId, files, json, ask };
}

function toAsk(program: Program, values: ForkValues, prompt: string): ForkCommand['ask'] {
  const run = toRunFlags(values);
  return {
    type: 'print',
    prompt,
    inputFormat: 'text',
    output: toOutputOptions(values),
    mayBypassPermissions: run.permissionMode === 'bypassPermissions',
    persistent: values.sessionPersistence,
    run,
    settings: toSettingsFlags(values),
    warnings: toWarnings(program),
  };
}

function refuseOtherSessions(values: ForkValues): void {
  const { resume, continue: newest, forkSession, resumeSessionAt } = values;
  if (resume === undefined && !newest && !forkSession && resumeSessionAt === undefined) return;
  throw new CliError(
    'everloop fork names its session as an argument and the place with --at. Leave --resume, --continue, --fork-session and --resume-session-at out.',
  );
}
