import type { ScheduleDescription } from '@temporalio/client';
import { firedSessionId } from '../../schedule/fired-session';
import { scheduleId } from '../../schedule/schedule-id';
import { unlessUnknown, type ScheduleWorld } from './schedule';

interface Firing {
  /** ISO instant. */
  readonly at: string;
  readonly sessionId: string;
  /** true: its session still runs. */
  readonly isRunning: boolean;
}

/** One schedule: what it does, when, and the sessions of its last firings. */
export async function showSchedule(
  { name, json }: { readonly name: string; readonly json: boolean },
  { schedules, place, prompts, stdout }: ScheduleWorld,
): Promise<number> {
  const described = await describe();
  const prompt = await prompts.find(name);
  const { state, info, policies } = described;
  const firings = firingsOf(described);
  const shown = {
    name,
    state: state.paused ? 'paused' : 'active',
    prompt: prompt?.prompt ?? null,
    cwd: prompt?.cwd ?? null,
    flags: prompt?.flags ?? {},
    overlap: policies.overlap,
    nextAt: info.nextActionTimes.map((at) => at.toISOString()).slice(0, 3),
    taken: info.numActionsTaken,
    skipped: info.numActionsSkippedOverlap,
    missed: info.numActionsMissedCatchupWindow,
    firings,
  };
  if (json) {
    await stdout.write(`${JSON.stringify(shown)}\n`);
    return 0;
  }
  const lines = [
    `${name} is ${shown.state}. It fired ${shown.taken} times, left out ${shown.skipped} because the one before still ran, and missed ${shown.missed}.`,
    `Prompt: ${shown.prompt ?? 'not in this home: another one made it'}`,
    `Folder: ${shown.cwd ?? '-'}`,
    `Next: ${shown.nextAt.join(', ') || 'never'}`,
    ...firings.map(
      ({ at, sessionId, isRunning }) =>
        `${at}  ${sessionId}${isRunning ? '  running' : ''}  (everloop attach ${sessionId})`,
    ),
  ];
  await stdout.write(`${lines.join('\n')}\n`);
  return 0;

  async function describe(): Promise<ScheduleDescription> {
    try {
      return await schedules.getHandle(scheduleId(place, name)).describe();
    } catch (error) {
      throw unlessUnknown(name, error);
    }
  }
}

/** Oldest first. */
function firingsOf({ info }: ScheduleDescription): readonly Firing[] {
  const running = new Set(info.runningActions.map(({ workflow }) => workflow.firstExecutionRunId));
  return info.recentActions.map(({ takenAt, action: { workflow } }) => ({
    at: takenAt.toISOString(),
    sessionId: firedSessionId(workflow.firstExecutionRunId),
    isRunning: running.has(workflow.firstExecutionRunId),
  }));
}
