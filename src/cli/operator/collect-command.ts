import { InvalidArgumentError, type Command as Program } from 'commander';
import { HOME_KINDS, type HomeKind } from '../../retention/collect-home';
import { COLLECTED_KINDS, type CollectedKind } from '../../transcript/collection';

export interface CollectCommand {
  readonly type: 'collect';
  /** null: what EVERLOOP_RETENTION_DAYS says. */
  readonly olderThanMs: number | null;
  readonly kinds: readonly (CollectedKind | HomeKind)[];
  /** Whole sessions go as well. */
  readonly transcripts: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
  readonly json: boolean;
}

const KINDS = [...COLLECTED_KINDS, ...HOME_KINDS] as const;

interface CollectValues {
  readonly olderThan?: number;
  readonly only?: CollectCommand['kinds'];
  readonly transcripts?: true;
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

export function parseCollect(program: Program, args: readonly string[]): CollectCommand {
  program
    .description(
      'Removes what is old and not needed to go on. Conversations stay, and open sessions are left alone.',
    )
    .option('--older-than <age>', 'days or hours, as 30d or 12h', toAgeMs)
    .option('--only <kinds>', `some of ${KINDS.join(',')}`, toKinds)
    .option('--transcripts', 'delete whole sessions that nobody has written to since')
    .option('--dry-run', 'show what would go, and change nothing')
    .option('--yes', 'delete sessions without asking')
    .option('--json', 'one object')
    .parse(args, { from: 'user' });
  const values = program.opts<CollectValues>();
  const { olderThan = null, only = KINDS, json = false, yes = false } = values;
  const { transcripts = false, dryRun = false } = values;
  return { type: 'collect', olderThanMs: olderThan, kinds: only, transcripts, dryRun, yes, json };
}

const HOUR_MS = 3_600_000;

function toAgeMs(text: string): number {
  const [, number, unit] = /^(\d{1,6})([dh])$/.exec(text) ?? [];
  if (number !== undefined) return Number(number) * (unit === 'd' ? 24 : 1) * HOUR_MS;
  throw new InvalidArgumentError('Give days or hours, such as 30d or 12h.');
}

function toKinds(text: string): CollectCommand['kinds'] {
  return text.split(',').map((name) => {
    const kind = KINDS.find((known) => known === name.trim());
    if (kind !== undefined) return kind;
    throw new InvalidArgumentError(`'${name}' is none of ${KINDS.join(', ')}.`);
  });
}
