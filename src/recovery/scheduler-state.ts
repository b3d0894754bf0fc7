import { readFileSync } from 'node:fs';

/** What the system does with a process. `stopped`: by SIGSTOP, a terminal or a debugger. null: it does not say here,
 *  or there is no such process. */
export function schedulerState(pid: number): 'stopped' | 'runs' | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything; proc(5) has the state behind it.
    const state = stat.charAt(stat.lastIndexOf(')') + 2);
    return state === 'T' || state === 't' ? 'stopped' : 'runs';
  } catch {
    return null;
  }
}
