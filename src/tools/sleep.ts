import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { defineTool } from './tool';
import type { ToolResult } from './tool';

/** Name of the tool that waits. In a durable query the Workflow does, with no process that has to stay alive. */
export const SLEEP = 'Sleep';

const DAY_MS = 86_400_000;
const LONGEST_DAYS = 30;

export const SleepInput = z.strictObject({
  duration_ms: z
    .number()
    .int()
    .min(1)
    .max(LONGEST_DAYS * DAY_MS)
    .describe(`How long to wait, in milliseconds; at most ${LONGEST_DAYS} days`),
});

export const sleepTool = defineTool<z.infer<typeof SleepInput>>({
  name: SLEEP,
  description: `Waits, for ${LONGEST_DAYS} days at most, and survives restarts meanwhile.
- Use it when the user asks you to wait, or when there is nothing to do until something outside has happened. Use it instead of sleep in Bash: it holds no shell.
- It ends early when the user writes. Long waits cost nothing; looking again and again does.`,
  inputSchema: SleepInput,
  effect: 'rerun',
  isReadOnly: () => true,
  isConcurrencySafe: () => true,
  summarize: ({ duration_ms: ms }) => durationText(ms),
  async call({ duration_ms: ms }, { signal, workerGone }) {
    await sleepFor(ms, AbortSignal.any([signal, workerGone]));
    return sleptResult({ ms, isWoken: false });
  },
});

/** What the model reads when the wait is over. `ms`: how long it was. */
export function sleptResult({
  ms,
  isWoken,
}: {
  readonly ms: number;
  readonly isWoken: boolean;
}): ToolResult {
  return {
    content: isWoken
      ? `Woken after ${durationText(ms)}: the user has written.`
      : `Slept ${durationText(ms)}.`,
    structured: { sleptMs: ms, isWoken },
  };
}

/** A timer of Node holds less than 25 days. */
async function sleepFor(ms: number, signal: AbortSignal): Promise<void> {
  for (let left = ms; left > 0; left -= DAY_MS) {
    await wait(Math.min(left, DAY_MS), undefined, { signal });
  }
}

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', DAY_MS],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
];

/** The two largest units: "1 h 30 min". */
function durationText(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  const first = UNITS.findIndex(([, unit]) => ms >= unit);
  return UNITS.slice(first, first + 2)
    .map(([name, unit], index) => {
      const [, larger = Infinity] = index === 0 ? [] : (UNITS[first] ?? []);
      return [Math.floor((ms % larger) / unit), name] as const;
    })
    .filter(([count]) => count > 0)
    .map(([count, name]) => `${count} ${name}`)
    .join(' ');
}
