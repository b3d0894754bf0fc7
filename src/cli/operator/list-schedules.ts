import type { ScheduleClient } from '@temporalio/client';
import { scheduleIdPrefix } from '../../schedule/schedule-id';
import type { OutputStream } from '../output/output-stream';

interface ListedSchedule {
  readonly name: string;
  readonly state: 'active' | 'paused';
  /** ISO instants; null: there is none. */
  readonly lastAt: string | null;
  readonly nextAt: string | null;
}

/** The schedules of this home, by name: a table for people, or one JSON object a line. What the server lists may be a
 *  moment behind. */
export async function listSchedules(
  { json }: { readonly json: boolean },
  {
    schedules,
    place,
    stdout,
  }: {
    readonly schedules: ScheduleClient;
    readonly place: string;
    readonly stdout: OutputStream;
  },
): Promise<number> {
  const prefix = scheduleIdPrefix(place);
  const found: ListedSchedule[] = [];
  for await (const { scheduleId, state, info } of schedules.list()) {
    if (!scheduleId.startsWith(prefix)) continue;
    found.push({
      name: scheduleId.slice(prefix.length),
      state: state.paused ? 'paused' : 'active',
      lastAt: info.recentActions.at(-1)?.takenAt.toISOString() ?? null,
      nextAt: info.nextActionTimes[0]?.toISOString() ?? null,
    });
  }
  const byName = found.sort((a, b) => a.name.localeCompare(b.name));
  const lines = json ? byName.map((one) => JSON.stringify(one)) : toTable(byName);
  if (lines.length > 0) await stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

function toTable(schedules: readonly ListedSchedule[]): readonly string[] {
  if (schedules.length === 0) {
    return ['There are no schedules. Make one: everloop schedule create NAME --every 1d "…"'];
  }
  const width = Math.max(4, ...schedules.map(({ name }) => name.length));
  const line = (name: string, state: string, last: string, next: string): string =>
    `${name.padEnd(width)}  ${state.padEnd(6)}  ${last.padEnd(16)}  ${next}`;
  return [
    line('NAME', 'STATE', 'LAST (UTC)', 'NEXT (UTC)'),
    ...schedules.map(({ name, state, lastAt, nextAt }) =>
      line(name, state, minuteOf(lastAt), minuteOf(nextAt)),
    ),
  ];
}

const minuteOf = (at: string | null): string => at?.slice(0, 16).replace('T', ' ') ?? '-';
