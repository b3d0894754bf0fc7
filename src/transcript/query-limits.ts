import { DEFAULT_GATES, type Gates } from '../loop/gates';
import { tokenBudgetIn } from '../loop/token-budget';
import type { QueryLimits } from '../workflows/interface';
import type { InboxMessage } from './message';

/** What the query that answers a message is started with. `gates`: for a message that says nothing of them. */
export function queryLimitsOf(
  message: InboxMessage,
  of: {
    readonly cwd: string;
    readonly maxToolConcurrency: number;
    readonly gates?: Gates | undefined;
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
    ...tokenBudgetOf(message),
  };
}

/** A prompt may name a number of tokens to use; only prompts of people are looked at. */
function tokenBudgetOf({ content, options }: InboxMessage): { readonly tokenBudget?: number } {
  if (options.gates?.tokenBudget !== true || typeof content !== 'string') return {};
  const tokenBudget = tokenBudgetIn(content);
  return tokenBudget === null ? {} : { tokenBudget };
}
