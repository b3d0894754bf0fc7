import { prepareChain, type PreparedContext } from '../activities/conversation/prepared-context';
import { systemRecord } from '../activities/new-record';
import type { ModelRequest } from '../loop/deps';
import type { Run } from './run';

/** The context behind a leaf as the next request sends it. Texts that are cut are kept nowhere. */
export const prepareContext = (
  { transcript, gates, options }: Run,
  leaf: string,
  of: Pick<ModelRequest, 'room'> & { readonly model: string },
): PreparedContext =>
  prepareChain({
    chain: transcript.chain(leaf),
    model: of.model,
    gates,
    settings: { percentOverride: null, autoCompactWindow: options.contextWindow ?? null },
    now: new Date(),
    mayCompact: of.room === 'compact',
    skipBlockingCheck: of.room === 'just_compacted',
    placeFor: () => null,
  });

/** Records what preparation decided, so that later requests begin with the same bytes. Returns the new leaf. */
export function recordDecided(
  { transcript, facts }: Run,
  leaf: string,
  decided: PreparedContext['decided'],
): string {
  if (decided === null) return leaf;
  const record = { ...systemRecord(facts(), 'context_decisions'), everloop: { decided } };
  return transcript.append(leaf, [record]).at(-1)?.uuid ?? leaf;
}
