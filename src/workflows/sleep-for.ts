import { condition } from '@temporalio/workflow';
import type { Slept, SleepOutcome } from '../activities/interface';
import type { ToolCall } from '../loop/deps';
import type { QueryInput } from './interface';
import type { QueryMail } from './query-mail';
import { toolSummary } from './tool-summary';

/** Waits with a timer of the server, so that no process has to live meanwhile. A message of the user ends it early,
 *  unless it can wait for `later`. Fails: when the call is cancelled. */
export async function sleepFor(
  { ms }: SleepOutcome,
  call: ToolCall,
  { input, mail }: { readonly input: QueryInput; readonly mail: QueryMail },
): Promise<Slept> {
  const startedAtMs = Date.now();
  const summary = toolSummary(call, input, 'sleep');
  const isWanted = (): boolean => mail.queued.some(({ priority }) => priority !== 'later');
  const isWoken = await condition(isWanted, ms, { summary });
  return { ms: Date.now() - startedAtMs, isWoken };
}
