import { readFile } from 'node:fs/promises';
import { isNativeError } from 'node:util/types';

import { runCommand } from './command';

const PS_TIMEOUT_MS = 5_000;

/** Names a running process for good: its pid and the moment it started, so that a reused pid is another process.
 *  Undefined when no such process runs; a zombie has ended.
 *  Fails: plain Error when the process is there and the system does not say what it is; "gone" would be a guess.
 */
export async function processIdentity(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') {
    const printed = await unlessGone(pid, () => ps(pid, 'stat=,lstart='));
    const [state, ...startedAt] = printed.trim().split(/\s+/);
    return state && !state.startsWith('Z') ? `${pid}@${startedAt.join(' ')}` : undefined;
  }
  const stat = await unlessGone(pid, () => readFile(`/proc/${pid}/stat`, 'utf8'));
  // proc(5): the command name, in parentheses, may itself hold spaces and parentheses. After it: field 3 (state) and on; 22 is the start time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTime] = [fields[0], fields[19]];
  if (!state || !startTime || state === 'Z' || state === 'X') return undefined;
  return `${pid}@${startTime}`;
}

/** The command line of a running process, its arguments joined by spaces; empty when there is none.
 *  Fails: as processIdentity.
 */
export async function commandLine(pid: number): Promise<string> {
  if (process.platform !== 'linux') {
    return (await unlessGone(pid, () => ps(pid, 'command='))).trim();
  }
  const raw = await unlessGone(pid, () => readFile(`/proc/${pid}/cmdline`, 'utf8'));
  return raw.split('\0').join(' ').trim();
}

function ps(pid: number, columns: string): Promise<string> {
  return runCommand('ps', ['-ww', '-o', columns, '-p', String(pid)], { timeoutMs: PS_TIMEOUT_MS });
}

/** What `read` says about a process; empty when it fails because there is no such process. */
async function unlessGone(pid: number, read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    if (isThere(pid)) throw error;
    return '';
  }
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there and belongs to somebody else.
    return isNativeError(error) && 'code' in error && error.code === 'EPERM';
  }
}
