import { setHandler } from '@temporalio/workflow';
import { refuseAdjustment } from './adjustment';
import type { Hold } from './hold';
import { adjust, change, pause, resume, workspaceServed, type Adjustment } from './interface';
import type { QueryMail } from './query-mail';

/** What a query's session, its caller, or somebody on its page in the UI changes while it runs. */
export function acceptAdjustments(
  hold: Hold,
  { subAgents, placement }: Pick<QueryMail, 'subAgents' | 'placement'>,
): void {
  const take = (adjustment: Adjustment): Promise<void> | undefined => {
    const before = hold.limits;
    const { workspace, ...changes } = adjustment;
    hold.adjust(changes);
    if (workspace !== undefined) placement.moveTo(workspace);
    return subAgents.tell(adjustment, before);
  };
  setHandler(adjust, take, {
    description: 'What a session or a caller tells its query of a change.',
  });
  setHandler(pause, () => take({ paused: true }), {
    description: 'Holds the query before its next turn. What runs is finished.',
  });
  setHandler(resume, () => take({ paused: false }), {
    description: 'Lets a paused query go on.',
  });
  setHandler(workspaceServed, (name) => placement.served(name), {
    description: 'Says that a Worker of the workspace of that name serves again.',
  });
  const takeToTheEnd = async (adjustment: Adjustment): Promise<undefined> => {
    await take(adjustment);
  };
  setHandler(change, takeToTheEnd, {
    validator: refuseAdjustment,
    description:
      'Changes model, mode or limits from the next turn on, as {"maxTurns": 40} or {"maxBudgetUsd": 5}.',
  });
}
