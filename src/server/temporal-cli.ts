import { runCommand } from './command';

/** A `temporal` binary that runs on this machine. */
export interface TemporalCli {
  readonly path: string;
  /** Version of the command, such as 1.9.1. */
  readonly version: string;
  /** Version of the server inside, such as 1.32.0: the layout of the database follows it. */
  readonly serverVersion: string;
}

/** Asks a binary what it is.
 *  Fails: plain Error when it does not run, or is not Temporal's command.
 */
export async function probeCli(path: string): Promise<TemporalCli> {
  // A machine under load, or a first start that is scanned for malware, can take seconds.
  const printed = await runCommand(path, ['--version'], { timeoutMs: 20_000 });
  const match = /temporal version (\S+) \(Server ([^,)\s]+)/.exec(printed);
  if (!match?.[1] || !match[2]) {
    throw new Error(`${path} --version printed ${JSON.stringify(printed.slice(0, 80))}`);
  }
  return { path, version: match[1], serverVersion: match[2] };
}

/** True when `version` is `minimum` or newer; suffixes such as -rc.1 do not count. */
export function isAtLeast(version: string, minimum: string): boolean {
  const [have, want] = [numbers(version), numbers(minimum)];
  const difference = want
    .map((part, index) => (have[index] ?? 0) - part)
    .find((step) => step !== 0);
  return (difference ?? 0) >= 0;
}

function numbers(version: string): number[] {
  return version.split('.').map((part) => Number.parseInt(part, 10) || 0);
}
