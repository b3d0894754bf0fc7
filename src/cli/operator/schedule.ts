import { realpathSync } from 'node:fs';
import {
  ScheduleAlreadyRunning,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
  type ScheduleClient,
} from '@temporalio/client';
import { scheduleId } from '../../schedule/schedule-id';
import type { ScheduledPrompts } from '../../schedule/scheduled-prompts';
import { CliError } from '../cli-error';
import type { OutputStream } from '../output/output-stream';
import { listSchedules } from './list-schedules';
import type { Overlap, ScheduleCommand } from './schedule-command';
import { showSchedule } from './show-schedule';

export interface ScheduleWorld {
  readonly schedules: ScheduleClient;
  readonly prompts: ScheduledPrompts;
  /** Of the transcript store. */
  readonly place: string;
  /** Of the Worker that begins the sessions. */
  readonly taskQueue: string;
  readonly cwd: string;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Sees to it that the Worker runs. */
  readonly ensureWorker: () => Promise<void>;
}

type Create = Extract<ScheduleCommand, { action: 'create' }>;

export async function schedule(command: ScheduleCommand, world: ScheduleWorld): Promise<number> {
  switch (command.action) {
    case 'create':
      return create(command, world);
    case 'ls':
      return listSchedules(command, world);
    case 'show':
      return showSchedule(command, world);
    case 'delete':
      return remove(command.name, world);
    case 'pause':
    case 'resume':
    case 'trigger':
      return change(command.action, command.name, world);
  }
}

/** The prompt first: a schedule that fires at once must find it. */
async function create(command: Create, world: ScheduleWorld): Promise<number> {
  const { name, prompt, flags, when, overlap, catchUp } = command;
  const { place, prompts, schedules, taskQueue, stderr } = world;
  for (const warning of command.warnings) await stderr.write(`${warning}\n`);
  const cwd = realpathSync(world.cwd);
  if (!(await prompts.create(name, { prompt, cwd, flags }))) throw exists(name);
  const id = scheduleId(place, name);
  try {
    await schedules.create({
      scheduleId: id,
      spec: {
        cronExpressions: [...when.cron],
        intervals: when.every === null ? [] : [{ every: when.every as `${number}m` }],
        ...(when.timezone !== null && { timezone: when.timezone }),
      },
      action: {
        type: 'startWorkflow',
        workflowType: 'scheduled',
        workflowId: id,
        args: [name],
        taskQueue,
      },
      policies: { overlap: POLICIES[overlap], catchupWindow: catchUp as `${number}m` },
    });
  } catch (error) {
    await prompts.remove(name);
    throw error instanceof ScheduleAlreadyRunning ? exists(name) : refused(name, error);
  }
  await world.ensureWorker();
  await world.stdout.write(`${name}\n`);
  await stderr.write(
    `It fires as long as a Worker of this home runs: everloop service install. See it: everloop schedule show ${name}\n`,
  );
  return 0;
}

const POLICIES: Readonly<Record<Overlap, ScheduleOverlapPolicy>> = {
  skip: ScheduleOverlapPolicy.SKIP,
  'buffer-one': ScheduleOverlapPolicy.BUFFER_ONE,
  'buffer-all': ScheduleOverlapPolicy.BUFFER_ALL,
  'stop-other': ScheduleOverlapPolicy.CANCEL_OTHER,
  allow: ScheduleOverlapPolicy.ALLOW_ALL,
};

const exists = (name: string): CliError =>
  new CliError(
    `There is a schedule "${name}". Take another name, or delete it first: everloop schedule delete ${name}`,
  );

const refused = (name: string, error: unknown): CliError => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return new CliError(
    `The server refused the schedule "${name}": ${String(cause)}. Check --cron and --timezone.`,
  );
};

async function change(
  action: keyof typeof DONE,
  name: string,
  { place, schedules, stdout, ensureWorker }: ScheduleWorld,
): Promise<number> {
  const handle = schedules.getHandle(scheduleId(place, name));
  if (action === 'trigger') await ensureWorker();
  try {
    if (action === 'pause') await handle.pause();
    else if (action === 'resume') await handle.unpause();
    // What was chosen for an overlap counts here, too: unsaid, all may run at once.
    else await handle.trigger((await handle.describe()).policies.overlap);
  } catch (error) {
    throw unlessUnknown(name, error);
  }
  await stdout.write(`${name} ${DONE[action]}\n`);
  return 0;
}

const DONE = { pause: 'is paused', resume: 'goes on', trigger: 'fires now' } as const;

/** What its firings have begun goes on. */
async function remove(name: string, world: ScheduleWorld): Promise<number> {
  const { place, schedules, prompts, stdout } = world;
  let isKnown = true;
  try {
    await schedules.getHandle(scheduleId(place, name)).delete();
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error;
    isKnown = false;
  }
  const hadPrompt = await prompts.remove(name);
  if (!isKnown && !hadPrompt) throw unknown(name);
  await stdout.write(`${name} is deleted\n`);
  return 0;
}

export const unlessUnknown = (name: string, error: unknown): unknown =>
  error instanceof ScheduleNotFoundError ? unknown(name) : error;

const unknown = (name: string): CliError =>
  new CliError(`There is no schedule "${name}". List them: everloop schedule ls`);
