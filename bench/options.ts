import { parseArgs } from 'node:util';
import { ENTRANTS, type EntrantName } from './entrants/all';

export interface Options {
  readonly only: readonly EntrantName[];
  /** Of each run; none: turns are not measured. */
  readonly turns: readonly number[];
  readonly kills: boolean;
  readonly json: string | null;
  /** Folder of the plots. */
  readonly out: string | null;
}

const TURNS = '10,100,300,1000';

export const USAGE = `npm run bench:peers -- [--only ${ENTRANTS.join(',')}] [--turns ${TURNS}] [--no-turns] [--no-kills] [--json FILE] [--out FOLDER]`;

/** Fails: Error that names what cannot be used. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      turns: { type: 'string', default: TURNS },
      'no-turns': { type: 'boolean', default: false },
      'no-kills': { type: 'boolean', default: false },
      json: { type: 'string' },
      out: { type: 'string' },
    },
  });
  const turns = values.turns.split(',').map(Number);
  if (!turns.every((each) => Number.isInteger(each) && each > 0)) {
    throw new Error(`--turns ${values.turns} must be whole numbers above 0, with commas between.`);
  }
  const only = values.only?.split(',').map(toEntrant);
  return {
    only: ENTRANTS.filter((name) => only?.includes(name) !== false),
    turns: values['no-turns'] ? [] : turns,
    kills: !values['no-kills'],
    json: values.json ?? null,
    out: values.out ?? null,
  };
}

function toEntrant(name: string): EntrantName {
  const found = ENTRANTS.find((each) => each === name);
  if (found !== undefined) return found;
  throw new Error(`--only ${name}: there is no such entrant. Choose from ${ENTRANTS.join(', ')}.`);
}
