import { parseArgs } from 'node:util';

export const SECTIONS = [
  'turns',
  'messages',
  'start',
  'kill',
  'adopt',
  'stop',
  'wake',
  'disk',
  'prefix',
  'compaction',
  'overlap',
  'counters',
  'headless',
] as const;
export type SectionName = (typeof SECTIONS)[number];

export interface BenchOptions {
  readonly only: readonly SectionName[];
  readonly size: Size;
  readonly json: string | null;
  /** Folder of the plots. */
  readonly out: string | null;
  readonly isMarkdown: boolean;
}

/** How much is measured. */
export interface Size {
  /** One run of each; the first is repeated, it is over too quickly. */
  readonly turns: readonly number[];
  /** Runs of eight turns before a Worker is measured. */
  readonly warmUps: number;
  readonly messages: number;
  readonly starts: number;
  readonly kills: number;
  /** In mid-stream, and as many in a Bash command. */
  readonly stops: number;
  /** Turns of the session that is woken up. */
  readonly wakeTurns: number;
  readonly wakes: number;
  readonly appends: number;
  readonly prefixTurns: number;
  readonly compactionTurns: number;
  /** Runs with early tools, and as many without. */
  readonly overlaps: number;
  /** Turns of the longest prompt. */
  readonly counterTurns: number;
  /** Deltas of the reply whose way to stdout is measured. */
  readonly tokens: number;
  /** How long a reader of stdout stops. */
  readonly unreadMs: number;
}

const FULL: Size = {
  turns: [10, 100, 1_000],
  warmUps: 2,
  messages: 200,
  starts: 10,
  kills: 20,
  stops: 50,
  wakeTurns: 1_000,
  wakes: 5,
  appends: 300,
  prefixTurns: 200,
  compactionTurns: 1_000,
  overlaps: 3,
  counterTurns: 250,
  tokens: 1_000,
  unreadMs: 60_000,
};

const QUICK: Size = {
  turns: [10, 50],
  warmUps: 1,
  messages: 40,
  starts: 3,
  kills: 3,
  stops: 6,
  wakeTurns: 50,
  wakes: 2,
  appends: 50,
  prefixTurns: 40,
  compactionTurns: 260,
  overlaps: 1,
  counterTurns: 250,
  tokens: 300,
  unreadMs: 5_000,
};

export const USAGE = `npm run bench -- [--quick] [--only ${SECTIONS.join(',')}] [--turns N,...] [--markdown] [--json FILE] [--out FOLDER]`;

/** Fails: Error that names what cannot be used. */
export function parseOptions(args: readonly string[]): BenchOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean' },
      only: { type: 'string' },
      turns: { type: 'string' },
      markdown: { type: 'boolean' },
      json: { type: 'string' },
      out: { type: 'string' },
    },
  });
  const size = values.quick === true ? QUICK : FULL;
  return {
    only: values.only === undefined ? SECTIONS : values.only.split(',').map(toSection),
    size:
      values.turns === undefined ? size : { ...size, turns: values.turns.split(',').map(toTurns) },
    json: values.json ?? null,
    out: values.out ?? null,
    isMarkdown: values.markdown === true,
  };
}

function toSection(name: string): SectionName {
  const found = SECTIONS.find((section) => section === name);
  if (found !== undefined) return found;
  throw new Error(`--only ${name}: there is no such part. Choose from ${SECTIONS.join(', ')}.`);
}

function toTurns(text: string): number {
  const turns = Number(text);
  if (Number.isInteger(turns) && turns > 0 && turns <= 4_000) return turns;
  throw new Error(`--turns ${text} must be whole numbers from 1 to 4000, with commas between.`);
}
