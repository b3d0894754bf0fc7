import { cpus } from 'node:os';
import { Option, type Command as Program } from 'commander';
import type { CrashTestOptions } from '../crash-test/crash-test';
import { fromName } from '../crash-test/kill';
import { CliError } from './cli-error';

/** `everloop crash-test SCRIPT`. */
export interface CrashTestCommand extends CrashTestOptions {
  readonly type: 'crash-test';
}

interface Values {
  readonly every: number;
  readonly failpoints: boolean;
  readonly events?: true;
  readonly random: number;
  readonly seed: number;
  readonly only?: readonly string[];
  readonly jobs: number;
  readonly patience: number;
  readonly json?: string;
}

/** Two per processor: a run waits more than it works. */
const JOBS = 2 * cpus().length;

export function parseCrashTest(program: Program, args: readonly string[]): CrashTestCommand {
  program
    .description(
      'Kills a Worker everywhere in a scripted run, and compares with the undisturbed one.',
    )
    .argument('<script>', 'JSON file or JavaScript module (docs/crash-testing.md)')
    .addOption(number('--every <n>', 'every n-th failpoint and event', 1))
    .option('--no-failpoints', 'no kills at failpoints')
    .option('--events', 'kill at history events as well')
    .addOption(number('--random <n>', 'kill at so many random moments as well', 0))
    .addOption(number('--seed <n>', 'of the random moments', 1))
    .option(
      '--only <kill...>',
      'these kills alone: failpoint:tool.ran:2, event:query-1:12, moment:350',
    )
    .addOption(number('--jobs <n>', 'runs at a time', JOBS))
    .addOption(number('--patience <seconds>', 'a run that takes longer has failed', 120))
    .option('--json <file>', 'write the report there');
  const values = program.parse(args, { from: 'user' }).opts<Values>();
  const { every, failpoints, events, random, seed, only, jobs, patience, json } = values;
  return {
    type: 'crash-test',
    script: program.processedArgs[0] as string,
    choice: {
      every: atLeastOne('--every', every),
      failpoints,
      events: events ?? false,
      random,
      seed,
      only: only?.map(fromName) ?? null,
    },
    jobs: atLeastOne('--jobs', jobs),
    patienceMs: atLeastOne('--patience', patience) * 1_000,
    json: json ?? null,
  };
}

const number = (flags: string, description: string, fallback: number): Option =>
  new Option(flags, description).default(fallback).argParser((text) => {
    if (/^\d{1,9}$/.test(text)) return Number(text);
    throw new CliError(`${flags.split(' ')[0]} ${text}: give a whole number.`);
  });

function atLeastOne(flag: string, value: number): number {
  if (value >= 1) return value;
  throw new CliError(`${flag} ${value}: give 1 or more.`);
}
