import { join } from 'node:path';
import { disk } from '../../disk/disk';
import { DEFAULT_GATES, type Gates } from '../../loop/gates';
import { toContextLimits, type ContextLimits } from '../../loop/prepare/context-limits';
import { prepare, type Prepared } from '../../loop/prepare/prepare';
import type { PlaceFor } from '../../loop/prepare/tool-results';
import { factsOfModel } from '../../loop/price-table';
import type { RunOptions } from '../../transcript/message';
import type { DecidedView, TranscriptRecord } from '../../transcript/record';
import type { SessionStore } from '../../transcript/store';
import type { ContextSettings } from '../deps';
import { toContextMessages } from './context-messages';
import { recordedDecisions } from './recorded-decisions';

interface Context {
  /** Behind the last boundary, oldest first. */
  readonly chain: readonly TranscriptRecord[];
  readonly model: string;
  readonly settings: ContextSettings;
  readonly now: Date;
  readonly mayCompact: boolean;
  readonly skipBlockingCheck: boolean;
  readonly assembleSystem?: () => void;
}

export interface ContextToPrepare extends Context {
  readonly store: SessionStore;
  readonly options: RunOptions;
}

export interface ChainToPrepare extends Context {
  readonly gates: Gates;
  readonly placeFor: PlaceFor;
}

export interface PreparedContext extends Prepared {
  /** What has to be recorded so that later requests begin with the same bytes; null: nothing new. */
  readonly decided: DecidedView | null;
}

/** The context as the next request sends it. Texts that were cut are stored before anybody is told of their place. */
export async function prepareContext(of: ContextToPrepare): Promise<PreparedContext> {
  const { store, options } = of;
  const placeFor = (toolUseId: string): string =>
    join(store.folderPath('tool-results'), `${toolUseId}.txt`);
  const prepared = prepareChain({ ...of, gates: options.gates ?? DEFAULT_GATES, placeFor });
  for (const { toolUseId, original } of prepared.fresh) {
    if (original === null) continue;
    await store.folder('tool-results');
    await disk.writeFile(placeFor(toolUseId), original, { mode: 0o600 });
  }
  return prepared;
}

/** The same without a store: texts that were cut are the caller's to keep. */
export function prepareChain(of: ChainToPrepare): PreparedContext {
  const recorded = recordedDecisions(of.chain);
  const prepared = prepare({
    ...recorded,
    messages: toContextMessages(of.chain, of.model),
    gates: toPrepareGates(of.gates),
    limits: limitsOf(of.model, of.settings),
    nowMs: of.now.getTime(),
    placeFor: of.placeFor,
    mayCompact: of.mayCompact,
    skipBlockingCheck: of.skipBlockingCheck,
    assembleSystem: of.assembleSystem ?? ((): void => undefined),
  });
  return { ...prepared, decided: decidedNow(prepared, recorded.collapseLog) };
}

export const limitsOf = (model: string, settings: ContextSettings): ContextLimits => {
  const { contextWindow, maxOutputTokens } = factsOfModel(model);
  return toContextLimits({ contextWindow, maxOutputTokens, ...settings });
};

const toPrepareGates = ({ microcompact, ...gates }: Gates) => ({
  ...gates,
  microcompactByTime: microcompact,
  microcompactBySize: microcompact,
});

function decidedNow(
  { fresh, snip, collapseLog }: Prepared,
  before: Prepared['collapseLog'],
): DecidedView | null {
  if (fresh.length === 0 && snip === null && collapseLog === before) return null;
  return {
    ...(fresh.length > 0 && {
      replacements: Object.fromEntries(fresh.map(({ toolUseId, text }) => [toolUseId, text])),
    }),
    ...(snip !== null && { snip }),
    ...(collapseLog !== before && { collapseLog }),
  };
}
