import { CliError } from './cli-error';
import type { ResumePoint, SessionChoice } from './command';
import type { RunOptionValues } from './run-flags';

/** Which session the options name. Fails: CliError when they name more than one, or none where one is needed. */
export function toSessionChoice(values: RunOptionValues): SessionChoice {
  const { resume, sessionId = null } = values;
  requireOneSession(values);
  requireResumed(values);
  const point = toResumePoint(values);
  if (values.forkSession) return { type: 'fork', of: resume ?? null, sessionId, ...point };
  if (resume !== undefined) return { type: 'resume', sessionId: resume, ...point };
  if (values.continue) return { type: 'continue' };
  return { type: 'new', sessionId };
}

function requireOneSession(values: RunOptionValues): void {
  const given = [
    values.resume !== undefined && '--resume',
    values.continue && '--continue',
    // A fork is a session of its own.
    values.sessionId !== undefined && !values.forkSession && '--session-id',
  ].filter((flag) => typeof flag === 'string');
  if (given.length > 1) {
    throw new CliError(`${given.join(' and ')} name different sessions. Give one of them.`);
  }
}

/** Where there is nothing to go on with, leaving the option unheard would do something else than was asked. */
function requireResumed(values: RunOptionValues): void {
  const { resume, resumeSessionAt, resumeDropsTurn } = values;
  if (values.forkSession && resume === undefined && !values.continue) {
    throw new CliError('--fork-session needs --resume or --continue: which session is meant?');
  }
  if (resumeSessionAt !== undefined && resume === undefined) {
    throw new CliError('--resume-session-at needs --resume with the id of the session.');
  }
  if (resumeDropsTurn !== undefined && resumeSessionAt === undefined) {
    throw new CliError('--resume-drops-turn needs --resume-session-at.');
  }
}

function toResumePoint({ resumeSessionAt: at, resumeDropsTurn: dropsTurn }: RunOptionValues): {
  readonly point?: ResumePoint;
} {
  if (at === undefined) return {};
  return { point: { at, ...(dropsTurn !== undefined && { dropsTurn }) } };
}
