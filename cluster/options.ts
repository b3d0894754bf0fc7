import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { WantedPorts } from './ports';

/** What is done with a cluster: it is left to people, a shell works in it, or one of the checks does. */
const MODES = ['run', 'check', 'kills', 'scan', 'fairness', 'load'] as const;
type Mode = (typeof MODES)[number];

export interface Options {
  /** null: a temporary one, removed at the end. */
  readonly folder: string | null;
  readonly ports: WantedPorts;
  /** null: it stays until Ctrl-C. */
  readonly mode: Mode | null;
  /** Of `run`, for the shell, with the variables of the cluster. */
  readonly command: string;
  /** Messages of one tenant, beside which another waits. */
  readonly queued: number;
  /** Activity slots of each Worker then. */
  readonly slots: number;
  readonly parked: number;
  readonly active: number;
  /** Of each active session, or of the check. */
  readonly turns: number;
  /** Where figures are written as JSON; null: nowhere. */
  readonly json: string | null;
}

export const USAGE =
  'npm run cluster -- [--folder FOLDER] [--temporal-port N] [--postgres-port N] [--run "COMMAND" | --check [--turns N] | --kills | --scan | --fairness [--queued N] [--slots N] [--json FILE] | --load [--parked N] [--active N] [--turns N] [--json FILE]]';

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
      kills: { type: 'boolean', default: false },
      scan: { type: 'boolean', default: false },
      fairness: { type: 'boolean', default: false },
      queued: { type: 'string', default: '500' },
      slots: { type: 'string', default: '20' },
      load: { type: 'boolean', default: false },
      parked: { type: 'string', default: '1000' },
      active: { type: 'string', default: '100' },
      turns: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const chosen = MODES.filter((mode) => values[mode] !== undefined && values[mode] !== false);
  if (chosen.length > 1) {
    const flags = chosen.map((mode) => `--${mode}`).join(' and ');
    throw new Error(`${flags} exclude each other. Give one of them.`);
  }
  return {
    folder: values.folder === undefined ? null : resolve(values.folder),
    ports: {
      temporal: toNumber('--temporal-port', values['temporal-port'] ?? null, 65_535),
      postgres: toNumber('--postgres-port', values['postgres-port'] ?? null, 65_535),
    },
    mode: chosen[0] ?? null,
    command: values.run ?? '',
    queued: toNumber('--queued', values.queued, 2_000),
    slots: toNumber('--slots', values.slots, 1_000),
    parked: toNumber('--parked', values.parked, 100_000),
    active: toNumber('--active', values.active, 1_000),
    turns: toNumber('--turns', values.turns ?? (values.load ? '20' : '100'), 4_000),
    json: values.json === undefined ? null : resolve(values.json),
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
