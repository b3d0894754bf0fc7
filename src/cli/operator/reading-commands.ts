import type { Command as Program } from 'commander';
import { CliError } from '../cli-error';

/** `everloop show` */
export interface ShowCommand {
  readonly type: 'show_session';
  readonly session: string;
  readonly json: boolean;
  /** A picture of it is wanted instead; absent: it is not. */
  readonly page?: PageChoice;
}

/** Where the picture goes. */
export interface PageChoice {
  /** `-`: stdout. null: a file in the working folder, named after the session. */
  readonly output: string | null;
  /** Whatever is there is replaced. */
  readonly force: boolean;
}

/** `everloop logs` */
export interface LogsCommand {
  readonly type: 'logs';
  readonly session: string;
  /** Goes on until Ctrl-C. */
  readonly follow: boolean;
  readonly json: boolean;
}

const SESSION = ['<session>', 'session id, the beginning of one, or a visibility query'] as const;

export function parseShow(program: Program, args: readonly string[]): ShowCommand {
  program
    .description('Shows what a session does, why it is in this state, and what would help.')
    .argument(...SESSION)
    .option('--json', 'as one object')
    .option('--html', 'writes a page with a timeline of it (docs/session-page.md)')
    .option('--output <file>', 'where the page goes; - is standard output')
    .option('--force', 'replaces a file that is no such page')
    .parse(args, { from: 'user' });
  const values = program.opts<{ json?: true; html?: true; output?: string; force?: true }>();
  const { json = false, html = false, output = null, force = false } = values;
  if (json && html) throw new CliError('--json and --html are two ways to show it: choose one.');
  if (!html && (output !== null || force)) {
    throw new CliError('--output and --force are about the page of --html: add it.');
  }
  return {
    type: 'show_session',
    session: program.args[0] ?? '',
    json,
    ...(html && { page: { output, force } }),
  };
}

export function parseLogs(program: Program, args: readonly string[]): LogsCommand {
  program
    .description('Prints what a session did, a line for each step.')
    .argument(...SESSION)
    .option('-f, --follow', 'go on with what comes, until Ctrl-C')
    .option('--json', 'entries as they are stored, one a line, with all that was said')
    .parse(args, { from: 'user' });
  const { json = false, follow = false } = program.opts<{ json?: true; follow?: true }>();
  return { type: 'logs', session: program.args[0] ?? '', follow, json };
}
