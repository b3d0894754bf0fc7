import { costOfModel, ownCostOfQuery, type Tally } from '../../loop/tally';
import { searchesOf } from '../../loop/usage';
import type { ModelUsage } from '../../transcript/session-log';
import { factsOfModel } from '../../loop/price-table';

/** Name of the document. */
export const TOTALS = 'totals';

/** What a session has used in all its queries. Stored with it; `queries` makes a repeated add harmless. */
export interface SessionTotals {
  readonly costUsd: number;
  readonly models: Readonly<Record<string, ModelUsage>>;
  /** The queries that are counted, newest last. */
  readonly queries: readonly string[];
}

export const NO_TOTALS: SessionTotals = { costUsd: 0, models: {}, queries: [] };

/** Enough to recognise a repeat: only the last query can be finished twice. */
const REMEMBERED_QUERIES = 20;

export function withQuery(totals: SessionTotals, queryId: string, tally: Tally): SessionTotals {
  if (totals.queries.includes(queryId)) return totals;
  const used = Object.entries(tally.usageByModel);
  return {
    costUsd: totals.costUsd + ownCostOfQuery(tally),
    models: used.reduce((models, [model, usage]) => {
      const before = models[model];
      const { contextWindow, maxOutputTokens } = factsOfModel(model);
      const after: ModelUsage = {
        inputTokens: (before?.inputTokens ?? 0) + usage.input_tokens,
        outputTokens: (before?.outputTokens ?? 0) + usage.output_tokens,
        cacheReadInputTokens: (before?.cacheReadInputTokens ?? 0) + usage.cache_read_input_tokens,
        cacheCreationInputTokens:
          (before?.cacheCreationInputTokens ?? 0) + usage.cache_creation_input_tokens,
        webSearchRequests: (before?.webSearchRequests ?? 0) + searchesOf(usage),
        costUSD: (before?.costUSD ?? 0) + costOfModel(tally, model),
        contextWindow,
        maxOutputTokens,
      };
      return { ...models, [model]: after };
    }, totals.models),
    queries: [...totals.queries, queryId].slice(-REMEMBERED_QUERIES),
  };
}

export function fromStoredTotals(document: unknown): SessionTotals {
  const isTotals = typeof document === 'object' && document !== null && 'queries' in document;
  return isTotals ? (document as SessionTotals) : NO_TOTALS;
}
