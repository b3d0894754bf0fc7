import { TokenBudget } from './token-budget';
import type { QueryParams } from './query-params';

/** What the loop remembers between iterations beside State (spec/loop 0.6). A rollover carries it too. */
export interface Locals {
  /** Tokens of the task budget that are left; null: no budget, or nothing was compacted yet. */
  readonly taskBudgetRemaining: number | null;
  /** null: the prompt names no budget, or a sub-agent's does, which is not the user's word. */
  readonly tokenBudget: TokenBudget | null;
  /** Stop hooks that blocked since tools last ran. */
  readonly stopHookBlocks: number;
  /** Calls of the structured-output tool that failed. */
  readonly structuredFailures: number;
}

export const Locals = {
  initial: ({ tokenBudget, gates, toolUseContext }: QueryParams): Locals => ({
    taskBudgetRemaining: null,
    tokenBudget:
      gates.tokenBudget && tokenBudget != null && toolUseContext.queryTracking.depth === 0
        ? TokenBudget.of(tokenBudget)
        : null,
    stopHookBlocks: 0,
    structuredFailures: 0,
  }),

  /** What the summary took the place of counts as spent (spec/loop 3.9). */
  afterCompaction(locals: Locals, params: QueryParams, contextTokens: number): Locals {
    if (params.taskBudget == null) return locals;
    const before = locals.taskBudgetRemaining ?? params.taskBudget;
    return { ...locals, taskBudgetRemaining: Math.max(0, before - contextTokens) };
  },

  afterStopHookBlock: (locals: Locals): Locals => ({
    ...locals,
    stopHookBlocks: locals.stopHookBlocks + 1,
  }),

  afterReply: (locals: Locals, outputTokens: number): Locals =>
    locals.tokenBudget === null
      ? locals
      : { ...locals, tokenBudget: TokenBudget.spent(locals.tokenBudget, outputTokens) },

  afterTools: (locals: Locals, structuredFailures: number): Locals => ({
    ...locals,
    stopHookBlocks: 0,
    structuredFailures: locals.structuredFailures + structuredFailures,
  }),

  afterTokenBudgetContinuation: (locals: Locals, tokenBudget: TokenBudget): Locals => ({
    ...locals,
    tokenBudget: TokenBudget.continued(tokenBudget),
  }),
};
