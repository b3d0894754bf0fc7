import { appendFileSync } from 'node:fs';

/** A place at which a crash leaves something half done, or done and not yet reported. Dotted, and stable: reports
 *  and repeated runs name it (docs/crash-testing.md). */
export type FailpointName = string;

export interface ArmedFailpoints {
  /** Where the process kills itself with SIGKILL: "17", the 17th that it reaches, or "tool.ran:2", the second of that
   *  name, which other places before it do not shift; null: nowhere. */
  readonly crashAt: string | null;
  /** File that gets a line "n name" for each; null: none. */
  readonly log: string | null;
}

let reached = 0;
let reachedByName = new Map<FailpointName, number>();
let armed = fromEnvironment(process.env);

/** Passes a numbered place. EVERLOOP_CRASH_AT and EVERLOOP_CRASH_LOG arm it; else it costs one comparison. */
export function failpoint(name: FailpointName): void {
  if (armed === null) return;
  reached++;
  const times = (reachedByName.get(name) ?? 0) + 1;
  reachedByName.set(name, times);
  if (armed.log !== null) appendFileSync(armed.log, `${reached} ${name}\n`);
  const { crashAt } = armed;
  if (crashAt === String(reached) || crashAt === `${name}:${times}`) {
    process.kill(process.pid, 'SIGKILL');
  }
}

/** Does something that others see, with a numbered place before it and one behind it. */
export async function betweenFailpoints<T>(name: FailpointName, act: () => Promise<T>): Promise<T> {
  failpoint(`${name}.before`);
  const result = await act();
  failpoint(`${name}.after`);
  return result;
}

/** Counts from 1 again. null: they cost nothing any more. */
export function armFailpoints(next: ArmedFailpoints | null): void {
  armed = next;
  reached = 0;
  reachedByName = new Map();
}

function fromEnvironment(env: NodeJS.ProcessEnv): ArmedFailpoints | null {
  const crashAt = env['EVERLOOP_CRASH_AT'] ?? '';
  const log = env['EVERLOOP_CRASH_LOG'] ?? '';
  if (crashAt === '' && log === '') return null;
  return { crashAt: crashAt === '' ? null : crashAt, log: log === '' ? null : log };
}
