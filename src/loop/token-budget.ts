/** Tokens that a prompt allows its answer to use ("+500k"), and how far they are used (spec/loop 6.7). */
export interface TokenBudget {
  readonly total: number;
  /** Output tokens of this query so far. */
  readonly used: number;
  readonly continuations: number;
  /** `used` at the last continuation. */
  readonly usedAtContinuation: number;
  /** Tokens between the last two continuations. */
  readonly lastDelta: number;
}

/** Share of the budget from which on it counts as used up. */
const ENOUGH = 0.9;
/** After so many continuations, two steps in a row below the threshold mean that the work is done. */
const MIN_CONTINUATIONS = 3;
const DIMINISHED_TOKENS = 500;

export const TokenBudget = {
  of: (total: number): TokenBudget => ({
    total,
    used: 0,
    continuations: 0,
    usedAtContinuation: 0,
    lastDelta: 0,
  }),

  /** After one more reply. */
  spent: (budget: TokenBudget, outputTokens: number): TokenBudget => ({
    ...budget,
    used: budget.used + outputTokens,
  }),

  continued: (budget: TokenBudget): TokenBudget => ({
    ...budget,
    continuations: budget.continuations + 1,
    usedAtContinuation: budget.used,
    lastDelta: delta(budget),
  }),

  mayContinue(budget: TokenBudget): boolean {
    const isDiminishing =
      budget.continuations >= MIN_CONTINUATIONS &&
      delta(budget) < DIMINISHED_TOKENS &&
      budget.lastDelta < DIMINISHED_TOKENS;
    return budget.used < budget.total * ENOUGH && !isDiminishing;
  },

  percentUsed: ({ used, total }: TokenBudget): number => Math.floor((used / total) * 100),
};

const delta = ({ used, usedAtContinuation }: TokenBudget): number => used - usedAtContinuation;

const AMOUNT = String.raw`(\d+(?:\.\d+)?)\s*([km])`;
const SHORT = new RegExp(String.raw`^\s*\+${AMOUNT}\b|\s\+${AMOUNT}\s*$`, 'i');
const SPOKEN = new RegExp(String.raw`\b(?:use|spend)\s+${AMOUNT}\s+tokens\b`, 'i');

/** The budget that a prompt names: "+500k" at its beginning or end, or "use 2M tokens"; null: none. */
export function tokenBudgetIn(prompt: string): number | null {
  const found = SHORT.exec(prompt) ?? SPOKEN.exec(prompt);
  const amount = found?.[1] ?? found?.[3];
  const unit = found?.[2] ?? found?.[4];
  if (amount === undefined || unit === undefined) return null;
  return Math.round(Number(amount) * (unit.toLowerCase() === 'k' ? 1_000 : 1_000_000));
}
