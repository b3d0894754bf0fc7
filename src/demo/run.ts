import type { FollowedEntry } from '../transcript/session-log';
import type { AgentLines } from './agent-lines';
import type { Child } from './child';
import { DemoFailure } from './demo-failure';
import type { DemoSession } from './demo-session';
import { killAndReplace } from './handover';
import type { Stage } from './stage';
import type { Story } from './story';
import { until } from './until';

export interface RunParts {
  readonly session: DemoSession;
  readonly prompt: string;
  readonly lines: AgentLines;
  readonly stage: Stage;
  readonly story: Story;
  readonly signal: AbortSignal;
  readonly worker: Child;
  readonly startReplacement: () => Child;
}

export interface Run {
  /** How many the agent ran. */
  readonly commands: number;
  /** Process id of the shell that ran while the Worker was killed. */
  readonly survivor: number;
}

const EDITING_TOOLS: ReadonlySet<string> = new Set(['Edit', 'Write']);

/** Submits the task, tells what the agent does, and kills the Worker during the first command after an edit.
 *  Fails: DemoFailure when the agent fails, or gives no occasion. */
export async function followRun(parts: RunParts): Promise<Run> {
  const { prompt, session, signal, stage } = parts;
  signal.throwIfAborted();
  const stopped = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error));
  });
  const played = Promise.all([follow(parts), session.submit(prompt)]).then(async ([run]) => {
    await session.closed();
    return run;
  });
  return Promise.race([played, stage.failed, stopped]);
}

async function follow(parts: RunParts): Promise<Run> {
  const { lines, session, story, signal } = parts;
  let commands = 0;
  let hasEdited = false;
  let survivor: number | null = null;
  for await (const { entry } of session.follow(signal)) {
    for (const { turn, text } of lines.after(entry)) story.tell(`turn ${turn}`, text);
    if (entry.type === 'query_ended') return endOf(entry, commands, survivor);
    if (entry.type !== 'tool_started') continue;
    hasEdited ||= EDITING_TOOLS.has(entry.name);
    if (entry.name !== 'Bash') continue;
    commands += 1;
    if (hasEdited && survivor === null) survivor = await crash(parts, entry.toolUseId, commands);
  }
  throw new DemoFailure('The session log ended before the run.');
}

/** Returns the process id of the command that was running. */
async function crash(parts: RunParts, toolUseId: string, commands: number): Promise<number> {
  const { lines, session, stage, startReplacement, story, worker } = parts;
  const line = lines.lineOf(toolUseId);
  story.tell(`turn ${line?.turn ?? '?'}`, `${line?.text ?? 'Bash'} …`);
  const shell = await until('the command starts', () => stage.shells()[commands - 1]);

  const { query } = session;
  const { replacement, tookMs } = await killAndReplace({ query, worker, startReplacement, story });
  const took = `${(tookMs / 1000).toFixed(1)} s after the kill`;
  const how = isRunning(shell)
    ? `it waits for the same command: process ${shell} still runs`
    : `it has the result of the same command: process ${shell} ended meanwhile`;
  story.tell(replacement.name, `goes on ${took}: ${how}`, 'green');
  return shell;
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function endOf(
  { result }: Extract<FollowedEntry['entry'], { type: 'query_ended' }>,
  commands: number,
  survivor: number | null,
): Run {
  if (result.is_error) {
    const reason = result.result ?? result.errors?.join(' ') ?? '';
    throw new DemoFailure(`The run ended with ${result.terminal_reason}. ${reason}`);
  }
  if (survivor === null) {
    throw new DemoFailure('The agent ran no command after its edit, so no Worker was killed.');
  }
  return { commands, survivor };
}
