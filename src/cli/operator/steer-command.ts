import type { Command as Program } from 'commander';
import type { MessagePriority } from '../../workflows/interface';
import { CliError } from '../cli-error';

export interface SteerCommand {
  readonly type: 'steer';
  /** A session id, a prefix, or a visibility query that finds one. */
  readonly selector: string;
  readonly text: string;
  readonly priority: MessagePriority;
  readonly json: boolean;
}

const PRIORITIES = ['now', 'next', 'later'] as const;

export function parseSteer(program: Program, args: readonly string[]): SteerCommand {
  program
    .description('Says something to a session that is at work.')
    .argument('<session>', 'session id, a prefix of it, or a visibility query')
    .argument('<text>', 'what to say')
    .option('--now', 'interrupt the running turn; this is answered next')
    .option('--next', 'heard after the tools that run now (default)')
    .option('--later', 'answered when the running query has ended')
    .option('--json', 'the id of the message as an object')
    .parse(args, { from: 'user' });
  const values = program.opts<Partial<Record<(typeof PRIORITIES)[number] | 'json', true>>>();
  const given = PRIORITIES.filter((priority) => values[priority] === true);
  if (given.length > 1) {
    throw new CliError(`--${given.join(' and --')} exclude each other. Give one of them.`);
  }
  const [selector = '', text = ''] = program.args;
  if (text.trim() === '') throw new CliError('The text is empty. Say something to the session.');
  return {
    type: 'steer',
    selector,
    text,
    priority: given[0] ?? 'next',
    json: values.json ?? false,
  };
}
