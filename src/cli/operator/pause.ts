import type { Command as Program } from 'commander';
import { CliError } from '../cli-error';
import type { Operator } from './operator';
import { inTurns } from './in-turns';

export interface PauseCommand {
  readonly type: 'pause' | 'resume';
  /** Session ids, prefixes, visibility queries. */
  readonly selectors: readonly string[];
  readonly json: boolean;
}

const ABOUT = {
  pause: 'Holds sessions before their next turn; what runs is finished. Nothing is lost.',
  resume: 'Lets paused sessions go on.',
} as const;

export const parsePause =
  (type: PauseCommand['type']) =>
  (program: Program, args: readonly string[]): PauseCommand => {
    program
      .description(ABOUT[type])
      .argument('<session...>', 'session ids, prefixes of them, or visibility queries')
      .option('--json', 'one object a line');
    program.parse(args, { from: 'user' });
    const { json = false } = program.opts<{ json?: true }>();
    return { type, selectors: program.args, json };
  };

/** Exit code 0: every session that was named has heard of it. Fails: CliError when none of them runs. */
export async function pause(
  { type, selectors, json }: PauseCommand,
  { connected, stdout, sessions }: Operator,
): Promise<number> {
  const { agent } = connected;
  const selected = await sessions(selectors);
  const told = await inTurns(selected, async ({ sessionId }) => {
    const isRunning = await agent.isRunning(sessionId);
    if (isRunning) await (type === 'pause' ? agent.pause(sessionId) : agent.resume(sessionId));
    return { sessionId, isRunning };
  });
  const left = told.filter(({ isRunning }) => !isRunning);
  if (left.length === told.length) throw notRunning(type, left);
  const paused = type === 'pause';
  for (const { sessionId, isRunning } of told) {
    if (json)
      await stdout.writeLine({ sessionId, ...(isRunning ? { paused } : { error: 'not_running' }) });
    else await stdout.write(`${line(type, sessionId, isRunning)}\n`);
  }
  return left.length === 0 ? 0 : 1;
}

function line(type: PauseCommand['type'], sessionId: string, isRunning: boolean): string {
  if (!isRunning) return `${sessionId}  does not run`;
  return type === 'pause' ? `${sessionId}  is held before its next turn` : `${sessionId}  goes on`;
}

function notRunning(type: string, sessions: readonly { readonly sessionId: string }[]): CliError {
  const ids = sessions.map(({ sessionId }) => sessionId).join(', ');
  return new CliError(
    `There is nothing to ${type}: ${ids} ${sessions.length === 1 ? 'does' : 'do'} not run. See what does: everloop ls`,
  );
}
