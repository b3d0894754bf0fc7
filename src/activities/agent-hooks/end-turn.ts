import { ApplicationFailure } from '@temporalio/common';
import type { NewMessage, NextTurn } from '../../agent/agent-hooks';
import type { InboxMessage } from '../../transcript/message';
import type { Attempt } from '../attempt';
import type { ActivityDeps } from '../deps';
import type { EndedTurn, EndTurnInput } from '../interface';
import { openQueryCall, type QueryCall } from '../query-call';
import { agentTurn } from './agent-turn';
import { askHook } from './ask-hook';
import { broughtMessages } from './brought-messages';
import { requireAgent } from './query-agent';
import { adoptTurn, keepTurn } from './kept-turn';

/** The agent's word on a turn that ended well: what comes next, whether it comes at all, and what is heard before
 *  it. What hooks bring is in the store before its ids are told; an attempt that finds its predecessor's word adopts
 *  it. Fails: as `askHook`; a final failure is told to people. */
export async function endTurn(
  deps: ActivityDeps,
  attempt: Attempt,
  input: EndTurnInput,
): Promise<EndedTurn> {
  const query = await openQueryCall(deps, attempt);
  try {
    requireAgent(query);
    return (await adoptTurn(query)) ?? (await askTurnHooks(query, input));
  } catch (error) {
    // The loop itself sees that the query is being stopped.
    if (attempt.stop.aborted) return {};
    if (error instanceof ApplicationFailure && error.nonRetryable === true) {
      await tell(query, error.message);
    }
    throw error;
  }
}

/** Pi's order: `prepareNextTurn`, `shouldStopAfterTurn`, then the queues, follow-ups only if nothing else is left
 *  to do (spec/loop 10.3, 10.9). Queues whose messages could not be heard are not asked. */
async function askTurnHooks(query: QueryCall, input: EndTurnInput): Promise<EndedTurn> {
  const { hooks } = query.agent;
  const turn = await agentTurn(query, input);
  const next: NextTurn =
    (await askHook(query, 'prepareNextTurn', (at) => hooks.prepareNextTurn?.(turn, at))) ?? {};
  const isStopped = await askHook(query, 'shouldStopAfterTurn', (at) =>
    hooks.shouldStopAfterTurn?.(turn, at),
  );
  if (isStopped === true) return { stop: true };
  const changes = Object.keys(next).length > 0 && { next };
  if (input.isLast === true) return { ...changes };
  const steering = await takeFrom(query, 'getSteeringMessages');
  const isIdle = !input.willGoOn && steering.length === 0;
  const followUps = isIdle ? await takeFrom(query, 'getFollowUpMessages') : [];
  const messages = broughtMessages(query, [...steering, ...followUps]);
  return keepTurn(query, messages, {
    ...changes,
    ...(messages.length > 0 && {
      messages: messages.map(({ id: messageId }: InboxMessage) => ({
        type: 'message',
        messageId,
        ...(steering.length > 0 && { steering: true }),
      })),
    }),
  });
}

async function takeFrom(
  query: QueryCall,
  queue: 'getSteeringMessages' | 'getFollowUpMessages',
): Promise<readonly NewMessage[]> {
  return (await askHook(query, queue, (at) => query.agent.hooks[queue]?.(at))) ?? [];
}

async function tell({ session, queryId }: QueryCall, text: string): Promise<void> {
  const { store, lease } = session;
  await store.log.append(lease, [{ type: 'notice', queryId, level: 'warning', text }]);
}
