import { withoutRepeats } from '../../client/without-repeats';
import type { SessionStore } from '../../transcript/store';
import { CliError } from '../cli-error';
import type { OutputStream } from '../output/output-stream';
import { logLine } from './log-line';
import type { LogsCommand } from './reading-commands';

export interface LogsWorld {
  readonly stdout: OutputStream;
  /** Fails: CliError when it names no session, or several. */
  readonly session: (selector: string) => Promise<SessionStore>;
  /** Ctrl-C. */
  readonly onInterrupt: (listener: () => void) => void;
}

/** The log lies in the store: nobody has to serve the session, and with an id no server has to run. */
export async function logs(
  { session, follow, json }: LogsCommand,
  { stdout, session: find, onInterrupt }: LogsWorld,
): Promise<number> {
  const { log } = await find(session);
  const leaving = new AbortController();
  const leave = (): void => leaving.abort();
  onInterrupt(leave);
  void stdout.failed.then(leave);
  const entries = follow ? log.follow(null, leaving.signal) : log.read();
  for await (const { at, entry } of withoutRepeats(entries)) {
    const line = json ? JSON.stringify({ at, ...entry }) : logLine(at, entry);
    if (line !== null) await stdout.write(`${line}\n`);
  }
  if (stdout.failure === null) return 0;
  throw new CliError(`Standard output cannot be written: ${stdout.failure.message}.`);
}
