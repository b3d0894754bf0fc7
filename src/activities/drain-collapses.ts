import type { Context } from '../loop/context';
import type { Drained } from '../loop/deps';
import { drain } from '../loop/prepare/context-collapse';
import type { SystemRecord } from '../transcript/record';
import type { Attempt } from './attempt';
import { toContextMessages } from './conversation/context-messages';
import { recordedDecisions } from './conversation/recorded-decisions';
import type { ActivityDeps } from './deps';
import { systemRecord } from './new-record';
import { openQueryCall } from './query-call';

/** Brings every collapse that is staged into the view (spec/loop 6.2). Safe to repeat. */
export async function drainCollapses(
  deps: ActivityDeps,
  attempt: Attempt,
  messages: Context,
): Promise<Drained> {
  const { session, options, facts } = await openQueryCall(deps, attempt);
  const { store, lease } = session;
  const leaf = messages.leaf ?? (await store.lastLeaf()) ?? '';
  const chain = await store.chain(leaf);
  const { collapseLog } = recordedDecisions(chain);
  const { committed, log } = drain(toContextMessages(chain, options.model), collapseLog);
  if (committed === 0) return { leaf, committed };
  const record: SystemRecord = {
    ...systemRecord(facts, 'context_decisions'),
    parentUuid: leaf,
    everloop: { decided: { collapseLog: log } },
  };
  const kept = await store.append(lease, `${attempt.key}:drain`, [record]);
  return { leaf: kept.at(-1)?.uuid ?? leaf, committed };
}
