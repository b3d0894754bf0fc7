import { constants } from 'node:os';
import { performance } from 'node:perf_hooks';
import { disk } from '../../disk/disk';
import { TakenOver } from '../taken-over';
import type { ToolContext } from '../tool';
import { isAlive } from './process-identity';
import { endProcessTree } from './process-tree';
import { isFlooding } from './output-limit';
import { isAbandoned } from './start-claim';
import type { StartedCommand } from './started-command';
import { readVerdict, writeVerdict } from './verdict';
import type { Verdict } from './verdict';

/** Between two looks at a command of another process; of a child we hear at once. */
const LOOK_EVERY_MS = 25;
const CHILD_LOOK_EVERY_MS = 250;

type OwnVerdict = Extract<Verdict, CommandEnding['type']>;

export type CommandEnding =
  | { readonly type: 'exited'; readonly code: number }
  | { readonly type: 'timed_out' }
  | { readonly type: 'output_limit' }
  /** It is gone and has left no exit code. */
  | { readonly type: 'vanished' };

type Watch = Pick<ToolContext, 'signal' | 'workerGone'> & {
  /** From the start of the command, whoever started it. */
  readonly timeoutMs: number;
  /** Called now and then while it runs. */
  readonly onLook: () => Promise<void>;
};

/** Waits until the command has ended, or ends it: its whole tree when `signal` aborts, when its time is up or
 *  when it floods the disk. When the Worker goes it is left running.
 *  Fails: with the reason of the signal that aborted. */
export async function waitForEnding(command: StartedCommand, watch: Watch): Promise<CommandEnding> {
  const verdict = await readVerdict(command.files);
  if (verdict === 'timed_out' || verdict === 'output_limit') return end(command, verdict);
  const deadlineMs = performance.now() + remainingTime(command, watch);
  for (let lastLookAt = performance.now(); ;) {
    if (watch.signal.aborted) {
      await endTree(command);
      throw watch.signal.reason;
    }
    if (watch.workerGone.aborted) {
      command.child?.unref();
      throw watch.workerGone.reason;
    }
    const ending = await findEnding(command);
    if (ending !== undefined) return ending;
    const remainingMs = deadlineMs - performance.now();
    if (remainingMs <= 0) return end(command, 'timed_out');
    if (performance.now() - lastLookAt >= CHILD_LOOK_EVERY_MS) {
      lastLookAt = performance.now();
      if (await isFlooding(command.files)) {
        return end(command, 'output_limit');
      }
      await watch.onLook();
    }
    await nap(command, watch, Math.min(remainingMs, napMs(command)));
  }
}

/** The clock counts between attempts only: while we start it and wait, somebody may set it. */
function remainingTime({ child, startedAtMs }: StartedCommand, { timeoutMs }: Watch): number {
  if (child !== null) return timeoutMs;
  return Math.min(startedAtMs + timeoutMs - Date.now(), timeoutMs);
}

/** Why we ended it is written first: its exit code alone would mislead an attempt after this one. */
async function end(command: StartedCommand, verdict: OwnVerdict): Promise<CommandEnding> {
  await writeVerdict(command.files, verdict);
  await endTree(command);
  return { type: verdict };
}

/** The command and everything that it started, also what outlived it. Returns whether nothing is left. */
export async function endTree(command: StartedCommand): Promise<boolean> {
  const { mark, child } = command;
  const pid = child?.pid ?? 0;
  // A wrapper that has not named itself yet is found by its mark.
  const leader = (await command.identity()) ?? { pid, boot: '', startTime: '' };
  return endProcessTree({ leader, mark });
}

/** undefined: it runs. */
export async function findEnding(command: StartedCommand): Promise<CommandEnding | undefined> {
  // In this order: a command that ends between the two looks has written its code before it went.
  const isRunning = await isCommandRunning(command);
  const code = await readExitCode(command);
  if (code !== undefined) return { type: 'exited', code };
  if (isRunning) return undefined;
  if (await isAbandoned(command.files)) {
    throw new TakenOver(
      `Another attempt took over ${command.files.command} before it was started.`,
    );
  }
  const { exitCode = null, signalCode = null } = command.child ?? {};
  if (exitCode !== null) return { type: 'exited', code: exitCode };
  if (signalCode !== null) return { type: 'exited', code: 128 + constants.signals[signalCode] };
  return { type: 'vanished' };
}

async function isCommandRunning({ child, identity }: StartedCommand): Promise<boolean> {
  if (child !== null) return child.exitCode === null && child.signalCode === null;
  const wrapper = await identity();
  return wrapper !== null && isAlive(wrapper);
}

async function readExitCode({ files }: StartedCommand): Promise<number | undefined> {
  const text = await disk.readFile(files.exit, 'utf8').catch(() => '');
  return /^\d+\n$/.test(text) ? Number(text) : undefined;
}

function napMs({ child }: StartedCommand): number {
  return child === null ? LOOK_EVERY_MS : CHILD_LOOK_EVERY_MS;
}

/** Until the time is over, the child exits or something aborts. */
function nap({ child }: StartedCommand, watch: Watch, forMs: number): Promise<void> {
  return new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer);
      child?.off('exit', wake);
      watch.signal.removeEventListener('abort', wake);
      watch.workerGone.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, forMs);
    child?.once('exit', wake);
    watch.signal.addEventListener('abort', wake);
    watch.workerGone.addEventListener('abort', wake);
    const isOver = child !== null && (child.exitCode !== null || child.signalCode !== null);
    if (isOver || watch.signal.aborted || watch.workerGone.aborted) wake();
  });
}
