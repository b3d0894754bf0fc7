import type { Command as Program } from 'commander';

export interface DeleteCommand {
  readonly type: 'delete';
  /** Session ids, prefixes, visibility queries. */
  readonly selectors: readonly string[];
  /** Sessions that work are stopped first. */
  readonly force: boolean;
  /** Do it without asking. */
  readonly yes: boolean;
  readonly json: boolean;
}

export function parseDelete(program: Program, args: readonly string[]): DeleteCommand {
  program
    .description(
      'Deletes sessions everywhere: transcript, log, ledger, kept files, Event History. Shows first what would go.',
    )
    .argument('<session...>', 'session ids, prefixes of them, or visibility queries')
    .option('--force', 'stop sessions that work, and delete those that are open elsewhere')
    .option('--yes', 'do it without asking')
    .option('--json', 'one object a line')
    .parse(args, { from: 'user' });
  const values = program.opts<{ force?: true; yes?: true; json?: true }>();
  const { force = false, yes = false, json = false } = values;
  return { type: 'delete', selectors: program.args, force, yes, json };
}
