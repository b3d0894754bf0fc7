import path from 'node:path';
import { disk } from '../../disk/disk';
import type { CommandFiles } from './wrapper-script';

const VERDICTS = ['timed_out', 'output_limit', 'killed', 'session_ended'] as const;

/** Why we ended a command. */
export type Verdict = (typeof VERDICTS)[number];

export async function writeVerdict(files: CommandFiles, verdict: Verdict): Promise<void> {
  await disk.writeFile(verdictFile(files), verdict, { mode: 0o600 });
}

/** undefined: it was left alone. */
export async function readVerdict(files: CommandFiles): Promise<Verdict | undefined> {
  const text = await disk.readFile(verdictFile(files), 'utf8').catch(() => '');
  return VERDICTS.find((verdict) => verdict === text);
}

function verdictFile({ output }: CommandFiles): string {
  return path.join(path.dirname(output), 'verdict');
}
