import { Argument, type Command as Program } from 'commander';
import { WORKSPACE_NAME, WORKSPACE_NAME_MEANT } from '../../config';
import { CliError } from '../cli-error';

/** `everloop workspace …`. */
export type WorkspaceCommand =
  | { readonly type: 'workspace'; readonly action: 'ls'; readonly json: boolean }
  | MoveCommand
  | DrainCommand;

/** `undrain` ends what `drain` began. */
export interface DrainCommand {
  readonly type: 'workspace';
  readonly action: 'drain' | 'undrain';
  /** Name of the host. */
  readonly of: string;
  /** Until nothing runs there. */
  readonly wait: boolean;
  readonly json: boolean;
}

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
  readonly wait?: true;
  readonly json?: true;
}

export function parseWorkspace(program: Program, args: readonly string[]): WorkspaceCommand {
  program
    .description(
      'Shows where sessions run, lets them go on elsewhere, and keeps a host free of them.',
    )
    .addArgument(new Argument('<action>').choices(['ls', 'move', 'drain', 'undrain']))
    .argument(
      '[what...]',
      'move: session ids, prefixes of them, or visibility queries; drain, undrain: a host',
    )
    .option('--to <name>', 'the workspace to go on in')
    .option('--force', 'move: also where none of its Workers lives or has the folder')
    .option('--wait', 'drain: until nothing runs there')
    .option('--json', 'one object a line')
    .parse(args, { from: 'user' });
  const { to, force = false, wait = false, json = false } = program.opts<Values>();
  const [action, ...selectors] = program.args;
  if (wait && action !== 'drain') {
    throw new CliError(`--wait is for everloop workspace drain, not for ${action ?? ''}.`);
  }
  if (action === 'ls') return { type: 'workspace', action, json };
  if (action === 'drain' || action === 'undrain') {
    const [of, ...more] = selectors;
    if (of === undefined || more.length > 0 || to !== undefined || force) {
      throw new CliError(
        `everloop workspace ${action} needs one host, and no other option: everloop workspace ${action} HOST. Hosts: everloop workspace ls`,
      );
    }
    return { type: 'workspace', action, of, wait, json };
  }
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
