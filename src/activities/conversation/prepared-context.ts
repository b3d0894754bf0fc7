import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DEFAULT_GATES, type Gates } from '../../loop/gates';
import { toContextLimits, type ContextLimits } from '../../loop/prepare/context-limits';
import { prepare, type Prepared } from '../../loop/prepare/prepare';
import { factsOfModel } from '../../loop/price-table';
import type { RunOptions } from '../../transcript/message';
import type { DecidedView, TranscriptRecord } from '../../transcript/record';
import type { SessionStore } from '../../transcript/store';
import type { ContextSettings } from '../deps';
import { toContextMessages } from './context-messages';
import { recordedDecisions } from './recorded-decisions';

export interface ContextToPrepare {
  readonly store: SessionStore;
  /** Behind the last boundary, oldest first. */
  readonly chain: readonly TranscriptRecord[];
  readonly model: string;
  readonly options: RunOptions;
  readonly settings: ContextSettings;
  readonly now: Date;
  readonly mayCompact: boolean;
  readonly skipBlockingCheck: boolean;
  readonly assembleSystem?: () => void;
}

export interface PreparedContext extends Prepared {
  /** What has to be recorded so that later requests begin with the same bytes; null: nothing new. */
  readonly decided: DecidedView | null;
}

/** The context as the next request sends it. Texts that were cut are stored before anybody is told of their place. */
export async function prepareContext(of: ContextToPrepare): Promise<PreparedContext> {
  const { store, chain, model, options } = of;
  const gates = options.gates ?? DEFAULT_GATES;
  const recorded = recordedDecisions(chain);
  const placeFor = (toolUseId: string): string =>
    join(store.folderPath('tool-results'), `${toolUseId}.txt`);
  const prepared = prepare({
    ...recorded,
    messages: toContextMessages(chain, model),
    gates: toPrepareGates(gates),
    limits: limitsOf(model, of.settings),
    nowMs: of.now.getTime(),
    placeFor,
    mayCompact: of.mayCompact,
    skipBlockingCheck: of.skipBlockingCheck,
    assembleSystem: of.assembleSystem ?? ((): void => undefined),
  });
  for (const { toolUseId, original } of prepared.fresh) {
    if (original === null) continue;
    await store.folder('tool-results');
    await writeFile(placeFor(toolUseId), original, { mode: 0o600 });
  }
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
