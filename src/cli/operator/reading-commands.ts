import type { Command as Program } from 'commander';

/** `everloop show` */
export interface ShowCommand {
  readonly type: 'show_session';
  readonly session: string;
  readonly json: boolean;
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
    .parse(args, { from: 'user' });
  const { json = false } = program.opts<{ json?: true }>();
  return { type: 'show_session', session: program.args[0] ?? '', json };
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
