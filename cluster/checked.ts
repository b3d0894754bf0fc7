import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

const LOOK_AGAIN_MS = 500;

export interface Checked {
  /** What is so, if it is. */
  readonly claim: string;
  /** Resolves with what was seen. Fails: Error that says what is not so. */
  readonly look: () => Promise<string>;
}

/** One after the other, a printed line each. Returns how many failed. */
export async function runLooks(
  looks: readonly Checked[],
  print: (line: string) => void,
): Promise<number> {
  let failed = 0;
  for (const { claim, look } of looks) {
    const [startedAt, load] = [performance.now(), loadavg()[0] ?? 0];
    const outcome = await look().then(
      (said) => `ok      ${claim}: ${said}`,
      (error: unknown) => {
        failed += 1;
        return `FAILED  ${claim}: ${error instanceof Error ? error.message : String(error)}`;
      },
    );
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    print(`${outcome} (${seconds} s; load ${load.toFixed(1)})`);
  }
  return failed;
}

export function has(text: string, part: string): string {
  if (text.includes(part)) return part;
  throw new Error(`"${part}" is not in: ${text}`);
}

/** Fails: with the last failure, after the time limit. */
export async function untilSo<Found>(look: () => Promise<Found>, withinMs: number): Promise<Found> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await delay(LOOK_AGAIN_MS);
    }
  }
}
