import { EMPTY_COLLAPSE_LOG, type CollapseLog } from '../../loop/prepare/context-collapse';
import type { Snip } from '../../loop/prepare/snip';
import type { ResultDecisions } from '../../loop/prepare/tool-results';
import type { DecidedView, TranscriptRecord } from '../../transcript/record';

/** What earlier requests of a context decided, as their records tell it. */
export interface RecordedDecisions {
  readonly decisions: ResultDecisions;
  readonly snips: readonly Snip[];
  readonly collapseLog: CollapseLog;
}

export function recordedDecisions(chain: readonly TranscriptRecord[]): RecordedDecisions {
  const replacements = new Map<string, string>();
  const snips: Snip[] = [];
  let collapseLog = EMPTY_COLLAPSE_LOG;
  for (const { everloop } of chain) {
    const decided = everloop?.decided;
    if (decided === undefined) continue;
    for (const [id, text] of Object.entries(decided.replacements ?? {})) replacements.set(id, text);
    if (decided.snip !== undefined) snips.push(decided.snip);
    collapseLog = decided.collapseLog ?? collapseLog;
  }
  return { decisions: { replacements, seen: seenIn(chain) }, snips, collapseLog };
}

/** What a part of the chain that is kept behind a summary has to be told again; null: nothing. */
export function decidedFor(
  kept: readonly TranscriptRecord[],
  chain: readonly TranscriptRecord[],
): DecidedView | null {
  const { replacements } = recordedDecisions(chain).decisions;
  if (kept.length === 0 || replacements.size === 0) return null;
  return { replacements: Object.fromEntries(replacements) };
}

/** What stands before a reply was part of its request. Looked up only when something is too large. */
function seenIn(chain: readonly TranscriptRecord[]): (toolUseId: string) => boolean {
  let seen: ReadonlySet<string> | null = null;
  return (toolUseId) => (seen ??= resultsBeforeLastReply(chain)).has(toolUseId);
}

function resultsBeforeLastReply(chain: readonly TranscriptRecord[]): ReadonlySet<string> {
  const last = chain.findLastIndex(
    (record) => record.type === 'assistant' && record.isApiErrorMessage !== true,
  );
  return new Set(
    chain.slice(0, Math.max(last, 0)).flatMap((record) => {
      if (record.type !== 'user' || typeof record.message.content === 'string') return [];
      return record.message.content.flatMap((block) =>
        block.type === 'tool_result' ? [block.tool_use_id] : [],
      );
    }),
  );
}
