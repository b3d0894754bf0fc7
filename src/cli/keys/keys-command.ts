import { Argument, type Command as Program } from 'commander';
import { CliError } from '../cli-error';

/** `everloop keys …`. */
export type KeysCommand =
  /** `id`: null: today's date. */
  | { readonly type: 'keys'; readonly action: 'new'; readonly id: string | null }
  | { readonly type: 'keys'; readonly action: 'ls'; readonly json: boolean }
  | { readonly type: 'keys'; readonly action: 'rotate' };

const ACTIONS = ['new', 'ls', 'rotate'] as const;

export function parseKeys(program: Program, args: readonly string[]): KeysCommand {
  program
    .description(
      'Keys of encryption (docs/encryption.md). new: prints one, as the configuration takes it. ls: which are in use. rotate: encrypts the store with the newest.',
    )
    .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
    .argument('[id]', 'of a new key: 24 of A-Z, a-z, 0-9, dot, _ and - at most')
    .option('--json', 'with ls: one object a line')
    .parse(args, { from: 'user' });
  const [action, id] = program.processedArgs as [(typeof ACTIONS)[number], string | undefined];
  const { json } = program.opts<{ json?: true }>();
  if (id !== undefined && action !== 'new') {
    throw new CliError(`everloop keys ${action} takes no id, not "${id}". Leave it out.`);
  }
  if (json === true && action !== 'ls') {
    throw new CliError(`--json belongs to everloop keys ls, not to ${action}. Leave it out.`);
  }
  switch (action) {
    case 'new':
      return { type: 'keys', action, id: id ?? null };
    case 'ls':
      return { type: 'keys', action, json: json ?? false };
    case 'rotate':
      return { type: 'keys', action };
  }
}
