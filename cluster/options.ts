import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { WantedPorts } from './ports';

export interface Options {
  /** null: a temporary one, removed at the end. */
  readonly folder: string | null;
  readonly ports: WantedPorts;
  /** For the shell, with the variables of the cluster; null: it stays until Ctrl-C. */
  readonly run: string | null;
  /** The checks instead, with so many turns to measure. */
  readonly check: boolean;
  readonly turns: number;
  /** Kills Workers instead, and looks what becomes of their sessions. */
  readonly kills: boolean;
  /** Looks for clear text in what an encrypted cluster keeps, instead. */
  readonly scan: boolean;
}

export const USAGE =
  'npm run cluster -- [--folder FOLDER] [--temporal-port N] [--postgres-port N] [--run "COMMAND" | --check [--turns N] | --kills | --scan]';

/** Fails: Error that names what cannot be used. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      folder: { type: 'string' },
      'temporal-port': { type: 'string' },
      'postgres-port': { type: 'string' },
      run: { type: 'string' },
      check: { type: 'boolean', default: false },
      turns: { type: 'string', default: '100' },
      kills: { type: 'boolean', default: false },
      scan: { type: 'boolean', default: false },
    },
  });
  const { check, kills, scan, run } = values;
  if ([check, kills, scan, run !== undefined].filter(Boolean).length > 1) {
    throw new Error('--check, --kills, --scan and --run exclude each other. Give one of them.');
  }
  return {
    folder: values.folder === undefined ? null : resolve(values.folder),
    ports: {
      temporal: toNumber('--temporal-port', values['temporal-port'] ?? null, 65_535),
      postgres: toNumber('--postgres-port', values['postgres-port'] ?? null, 65_535),
    },
    run: values.run ?? null,
    check: values.check,
    kills: values.kills,
    scan: values.scan,
    turns: toNumber('--turns', values.turns, 4_000),
  };
}

function toNumber<Given extends string | null>(
  flag: string,
  given: Given,
  most: number,
): Given extends string ? number : number | null;
function toNumber(flag: string, given: string | null, most: number): number | null {
  if (given === null) return null;
  const number = Number(given);
  if (Number.isInteger(number) && number > 0 && number <= most) return number;
  throw new Error(`${flag} ${given} must be a whole number from 1 to ${most}.`);
}
