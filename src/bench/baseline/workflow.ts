import { proxyActivities } from '@temporalio/workflow';
import type { BaselineActivities, BaselineInput } from './interface';

const { ask, act } = proxyActivities<BaselineActivities>({ startToCloseTimeout: '10m' });

/** A loop by reference with nothing in it: no signals, no permissions, no rollover. */
export async function emptyLoop({ turns, context }: BaselineInput): Promise<void> {
  let { head } = context;
  for (let turn = 1; turn <= turns; turn += 1) {
    const asked = await ask({ ...context, head, turn });
    const [id = ''] = asked.calls;
    ({ head } = await act({ session: context.session, head: asked.head, id }));
  }
  await ask({ ...context, head, turn: turns + 1 });
}
