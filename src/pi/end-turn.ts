import type { FinishedTurn, TurnVerdict } from '../loop/turn-end';
import { hold, update, type Run } from './run';
import { NO_CALLS } from './tool-batch';

/** Closes a turn, lets the hooks have their say, and asks the queues: steering first, follow-ups only if nothing
 *  else is left to do. */
export async function endTurn(
  run: Run,
  { willGoOn, toolUseContext }: FinishedTurn,
): Promise<TurnVerdict> {
  const { emit, newMessages } = run;
  const { message, toolResults } = await (run.batch ?? NO_CALLS).end();
  run.context.messages.push(...toolResults);
  newMessages.push(...toolResults);
  const turn = () => ({ message, toolResults, context: run.context, newMessages });
  const decision = await run.config.finishTurn?.(turn(), run.signal);
  await emit({ type: 'turn_end', message, toolResults });
  if (decision?.action === 'end') return { type: 'stop' };
  update(run, await run.config.prepareNextTurn?.(turn()));
  if ((await run.config.shouldStopAfterTurn?.(turn())) === true) return { type: 'stop' };
  const steering = (await run.config.getSteeringMessages?.()) ?? [];
  const messages =
    willGoOn || steering.length > 0 ? steering : ((await run.config.getFollowUpMessages?.()) ?? []);
  return {
    type: 'proceed',
    messages: hold(run, messages),
    toolUseContext: { ...toolUseContext, model: run.config.model.id },
    ...(decision?.action === 'continue' && { again: true }),
  };
}
