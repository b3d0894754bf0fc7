import { ApplicationFailure } from '@temporalio/common';
import type { AgentHooks, HookPlace } from '../../agent/agent-hooks';
import type { QueryCall } from '../query-call';

type Ask<Answer> = (at: HookPlace) => Answer | Promise<Answer>;

/** Asks one hook of the query's agent.
 *  Fails: `Agent.HookFailed` (retryable) when it throws, a failure of Temporal's as it is, or with the reason of
 *  whoever stopped the attempt: a hook that does not listen is left behind. */
export async function askHook<Answer>(
  query: QueryCall,
  name: keyof AgentHooks,
  ask: Ask<Answer>,
): Promise<Answer> {
  try {
    return await hear(query, ask);
  } catch (error) {
    const { attempt, options } = query;
    const isStopped = attempt.stop.aborted || attempt.over.aborted || attempt.forgotten.aborted;
    if (isStopped || error instanceof ApplicationFailure) throw error;
    const text = `Hook ${name} of agent ${options.agent ?? ''} failed: ${textOf(error)}`;
    throw ApplicationFailure.create({ type: 'Agent.HookFailed', message: text.slice(0, 200) });
  }
}

/** The same for hooks whose throw is an answer. */
export async function hear<Answer>(
  { attempt, session, promptId, place }: QueryCall,
  ask: Ask<Answer>,
): Promise<Answer> {
  const { key, stop, over, forgotten } = attempt;
  const signal = AbortSignal.any([stop, over, forgotten]);
  signal.throwIfAborted();
  const { sessionId } = session.store.meta;
  let leave: () => void = () => undefined;
  const left = new Promise<never>((_, reject) => {
    leave = () => reject(signal.reason as Error);
    signal.addEventListener('abort', leave, { once: true });
  });
  try {
    const asked = (async () => ask({ sessionId, promptId, cwd: place.cwd, key, signal }))();
    return await Promise.race([asked, left]);
  } finally {
    signal.removeEventListener('abort', leave);
  }
}

export const textOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
