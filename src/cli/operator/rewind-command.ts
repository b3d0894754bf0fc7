import type { Command as Program } from 'commander';
import { CliError } from '../cli-error';

export interface RewindCommand {
  readonly type: 'rewind';
  /** Id of a session, or the beginning of one. */
  readonly session: string;
  /** `turn:N` or a uuid. */
  readonly to: string;
  readonly parts: 'both' | 'files' | 'conversation';
  /** Do it without asking. */
  readonly yes: boolean;
  readonly json: boolean;
}

interface RewindValues {
  readonly to: string;
  readonly filesOnly?: true;
  readonly conversationOnly?: true;
  readonly yes?: true;
  readonly json?: true;
}

export function parseRewind(program: Program, args: readonly string[]): RewindCommand {
  program
    .description(
      'Takes a session and its files back to an earlier place. Shows first what it would do.',
    )
    .argument('<session>', 'session id, or the beginning of one')
    .requiredOption(
      '--to <place>',
      'uuid of a message of yours: before it; of another record: behind it; turn:N: behind that turn',
    )
    .option('--files-only', 'the conversation stays as it is')
    .option('--conversation-only', 'files stay as they are')
    .option('--yes', 'do it without asking')
    .option('--json', 'one object')
    .parse(args, { from: 'user' });
  const { to, filesOnly, conversationOnly, yes, json } = program.opts<RewindValues>();
  if (filesOnly && conversationOnly) {
    throw new CliError('--files-only and --conversation-only leave nothing to rewind. Give one.');
  }
  const part = filesOnly ? 'files' : 'conversation';
  return {
    type: 'rewind',
    session: program.processedArgs[0] as string,
    to,
    parts: filesOnly || conversationOnly ? part : 'both',
    yes: yes ?? false,
    json: json ?? false,
  };
}
