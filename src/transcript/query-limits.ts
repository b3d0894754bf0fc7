import { DEFAULT_GATES, type Gates } from '../loop/gates';
import { tokenBudgetIn } from '../loop/token-budget';
import type { QueryLimits, QueryView } from '../workflows/interface';
import type { InboxMessage } from './message';
import { messageSummary } from './message-summary';

/** What the query that answers a message is started with. `gates`: for a message that says nothing of them. */
export function queryLimitsOf(
  message: InboxMessage,
  of: {
    readonly cwd: string;
    readonly maxToolConcurrency: number;
    readonly gates?: Gates | undefined;
    /** Absent: the server does not know our search attributes. */
    readonly attributes?: QueryView['attributes'] | undefined;
  },
): QueryLimits {
  const { id, options } = message;
  return {
    toolUseContext: {
      model: options.model,
      permissionMode: options.permissionMode,
      workingDirectory: of.cwd,
      queryTracking: { chainId: id, depth: 0 },
    },
    maxTurns: options.maxTurns,
    maxOutputTokensOverride: null,
    maxToolConcurrency: of.maxToolConcurrency,
    gates: options.gates ?? of.gates ?? DEFAULT_GATES,
    ...(options.taskBudget != null && { taskBudget: options.taskBudget }),
    ...(options.maxBudgetUsd != null && { maxBudgetUsd: options.maxBudgetUsd }),
    ...(options.maxTokens != null && { maxTokens: options.maxTokens }),
    ...(options.maxMinutes != null && { maxMs: options.maxMinutes * 60_000 }),
    ...(options.onBudget === 'pause' && { onLimit: 'pause' }),
    ...tokenBudgetOf(message),
    ...viewOf(message, of.attributes),
  };
}

function viewOf(
  message: InboxMessage,
  attributes: QueryView['attributes'],
): Required<Pick<QueryLimits, 'view'>> {
  const { uiDetail: detail } = message.options;
  const summary = messageSummary(message);
  return {
    view: {
      ...(summary !== undefined && { summary }),
      ...(detail && { detail }),
      ...(attributes && { attributes }),
    },
  };
}

/** A prompt may name a number of tokens to use; only prompts of people are looked at. */
function tokenBudgetOf({ content, options }: InboxMessage): { readonly tokenBudget?: number } {
  if (options.gates?.tokenBudget !== true || typeof content !== 'string') return {};
  const tokenBudget = tokenBudgetIn(content);
  return tokenBudget === null ? {} : { tokenBudget };
}
