import type { HookEvent, HookFieldsOf, HookInput } from '../hooks/hook-event';
import { runHooks, type HookReport, type HookStart } from '../hooks/run-hooks';
import type { HookVerdict } from '../hooks/merge-answers';
import type { PermissionMode } from '../loop/state';
import type { HookEnd, HookInfo, LogEntry } from '../transcript/session-log';
import { keepLateAnswer } from './late-answers';
import type { QueryCall } from './query-call';

/** Where hooks run and what they are told of it. */
export interface HookSituation {
  readonly mode: PermissionMode;
  /** Absolute; omitted: the session's folder. */
  readonly workingDirectory?: string;
}

/** Runs the session's hooks for one event and tells observers of each. null: nobody hooked it, which costs nothing.
 *  Fails: with the reason of whoever stopped the attempt. */
export async function runSessionHooks<Event extends HookEvent>(
  query: QueryCall,
  event: Event,
  { mode, workingDirectory }: HookSituation,
  fields: () => HookFieldsOf<Event>,
): Promise<HookVerdict | null> {
  const { deps, attempt, session, place, queryId } = query;
  const { store, lease } = session;
  const { set, env, callbacks } = await deps.surroundings.hooks(place);
  if (!set.hasHooks(event)) return null;
  const tell = (entry: LogEntry): Promise<void> => store.log.append(lease, [entry]);
  const cwd = workingDirectory ?? place.cwd;
  const input = {
    session_id: store.meta.sessionId,
    transcript_path: store.transcriptPath,
    cwd,
    permission_mode: mode,
    hook_event_name: event,
    ...fields(),
    // The compiler does not follow a union through its own parameter.
  } as unknown as HookInput;
  const verdict = await runHooks(set, input, {
    cwd,
    projectDir: place.cwd,
    env,
    ...(callbacks !== undefined && { callbacks }),
    signal: AbortSignal.any([attempt.stop, attempt.over, attempt.forgotten]),
    onLate: (answer) => keepLateAnswer(session, answer),
    onStarted: (start) => tell({ type: 'hook_started', queryId, hook: infoOf(start) }),
    onFinished: (report) =>
      tell({ type: 'hook_ended', queryId, hook: infoOf(report), ended: endOf(report) }),
  });
  for (const text of [...verdict.warnings, ...verdict.systemMessages]) {
    await tell({ type: 'notice', queryId, level: 'warning', text });
  }
  return verdict;
}

const infoOf = ({ id, name, event }: HookStart): HookInfo => ({ id, name, event });

const endOf = ({ outcome, exitCode, stdout, stderr }: HookReport): HookEnd => ({
  outcome: outcome === 'success' || outcome === 'cancelled' ? outcome : 'error',
  exitCode,
  stdout,
  stderr,
});
