import { Argument, type Command as Program } from 'commander';
import { WORKSPACE_NAME, WORKSPACE_NAME_MEANT } from '../../config';
import { CliError } from '../cli-error';

/** `everloop workspace …`. */
export type WorkspaceCommand =
  { readonly type: 'workspace'; readonly action: 'ls'; readonly json: boolean } | MoveCommand;

export interface MoveCommand {
  readonly type: 'workspace';
  readonly action: 'move';
  /** Session ids, prefixes, visibility queries. */
  readonly selectors: readonly string[];
  /** Name of the workspace. */
  readonly to: string;
  /** Also where no Worker of it lives. */
  readonly force: boolean;
  readonly json: boolean;
}

interface Values {
  readonly to?: string;
  readonly force?: true;
  readonly json?: true;
}

export function parseWorkspace(program: Program, args: readonly string[]): WorkspaceCommand {
  program
    .description('Shows where sessions run, and lets them go on elsewhere.')
    .addArgument(new Argument('<action>').choices(['ls', 'move']))
    .argument('[session...]', 'session ids, prefixes of them, or visibility queries')
    .option('--to <name>', 'the workspace to go on in')
    .option('--force', 'also where none of its Workers lives')
    .option('--json', 'one object a line')
    .parse(args, { from: 'user' });
  const { to, force = false, json = false } = program.opts<Values>();
  const [action, ...selectors] = program.args;
  if (action === 'ls') return { type: 'workspace', action, json };
  if (selectors.length === 0 || to === undefined) {
    throw new CliError(
      'everloop workspace move needs sessions and a place: everloop workspace move SESSION --to NAME. Places: everloop workspace ls',
    );
  }
  if (!WORKSPACE_NAME.test(to)) {
    throw new CliError(`--to "${to}" must be ${WORKSPACE_NAME_MEANT}.`);
  }
  return { type: 'workspace', action: 'move', selectors, to, force, json };
}
