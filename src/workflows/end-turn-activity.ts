import { ActivityFailure, isCancellation, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/interface';
import type { FinishedTurn, TurnVerdict } from '../loop/turn-end';
import { END_TURN } from './activity-options';
import type { QueryMail } from './query-mail';

const { endTurn } = proxyActivities<Activities>(END_TURN);

/** The agent's hooks at the end of a turn, as one Activity; none where nobody wants to hear of it. */
export async function endTurnActivity(
  { reply, willGoOn, mayGoOn, toolUseContext }: FinishedTurn,
  { placement }: Pick<QueryMail, 'placement'>,
): Promise<TurnVerdict> {
  const unchanged = { type: 'proceed', messages: [], toolUseContext } as const;
  if (reply.hasTurnHooks !== true) return unchanged;
  try {
    const { leaf } = reply;
    const { model } = toolUseContext;
    const ended = await placement.place((where) =>
      endTurn.executeWithOptions({ summary: 'hooks · end of turn', ...where }, [
        { leaf, model, willGoOn, ...(!mayGoOn && { isLast: true }) },
      ]),
    );
    if (ended.stop === true) return { type: 'stop' };
    return {
      type: 'proceed',
      messages: ended.messages ?? [],
      toolUseContext: { ...toolUseContext, ...ended.next },
    };
  } catch (failure) {
    // The loop itself sees that the query is being stopped.
    if (isCancellation(failure)) return unchanged;
    // A hook wanted it to be final: people were told why.
    if (failure instanceof ActivityFailure) return { type: 'stop' };
    throw failure;
  }
}
