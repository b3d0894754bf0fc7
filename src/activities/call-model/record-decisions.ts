import type { DecidedView, SystemRecord } from '../../transcript/record';
import { systemRecord } from '../new-record';
import type { ModelCall } from './call-model';

/** Records what preparation decided, behind the context: later requests apply it again, so that they begin with
 *  the same bytes. Returns the end of the context. */
export async function recordDecisions(
  { session, attempt, facts }: ModelCall,
  leaf: string,
  decided: DecidedView | null,
): Promise<string> {
  if (decided === null) return leaf;
  const record: SystemRecord = {
    ...systemRecord(facts, 'context_decisions'),
    parentUuid: leaf,
    everloop: { decided },
  };
  // A repeated attempt prepares the same context. Where time made a difference, the first decision counts.
  const kept = await session.store.append(session.lease, `${attempt.key}:view:${leaf}`, [record]);
  return kept.at(-1)?.uuid ?? leaf;
}
