import type { AutoCompactTracking } from '../../src/loop/auto-compact-tracking';
import type { CompactOutcome } from '../../src/loop/compaction';
import type { ToolUse } from '../../src/loop/context';
import { DEFAULT_GATES, type Gates } from '../../src/loop/gates';
import type { Locals } from '../../src/loop/locals';
import type { Reply, ToolOutcome } from '../../src/loop/outcomes';
import type { QueryParams } from '../../src/loop/query-params';
import type { State } from '../../src/loop/state';
import { NO_USAGE, type Usage } from '../../src/loop/usage';

export function params(changes: Partial<QueryParams> = {}): QueryParams {
  return {
    messages: { leaf: null, pending: [{ type: 'message', messageId: 'prompt' }] },
    toolUseContext: {
      model: 'model',
      permissionMode: 'default',
      workingDirectory: '/workspace',
      queryTracking: { chainId: 'chain', depth: 0 },
    },
    maxTurns: null,
    maxOutputTokensOverride: null,
    maxToolConcurrency: 10,
    gates: DEFAULT_GATES,
    carry: null,
    ...changes,
  };
}

/** A State in which no field has the value that a query starts with. */
export function usedState(changes: Partial<State> = {}): State {
  return {
    messages: { leaf: 'old-leaf', pending: [{ type: 'message', messageId: 'old' }] },
    toolUseContext: {
      model: 'old-model',
      permissionMode: 'plan',
      workingDirectory: '/old',
      queryTracking: { chainId: 'old-chain', depth: 3 },
    },
    autoCompactTracking: {
      compacted: true,
      turnId: 'turn',
      turnCounter: 5,
      consecutiveFailures: 2,
      rapidRefills: 1,
    },
    maxOutputTokensRecoveryCount: 2,
    hasAttemptedReactiveCompact: true,
    maxOutputTokensOverride: 12_345,
    pendingToolUseSummary: 'old-summary',
    stopHookActive: true,
    turnCount: 7,
    transition: { reason: 'collapse_drain_retry', committed: 4 },
    ...changes,
  };
}

/** `record-<id>` holds the block of call `<id>`. */
export function call(id: string, changes: Partial<ToolUse> = {}): ToolUse {
  return {
    id,
    recordId: `record-${id}`,
    name: 'Bash',
    isConcurrencySafe: false,
    summary: '',
    ...changes,
  };
}

export const safeCall = (id: string): ToolUse =>
  call(id, { name: 'Read', isConcurrencySafe: true });

export function reply(changes: Partial<Reply> = {}): Reply {
  return {
    type: 'reply',
    requestLeaf: 'request-leaf',
    leaf: 'reply-leaf',
    stream: 'stream',
    toolUses: [],
    stopReason: 'end_turn',
    withheld: null,
    apiError: null,
    usage: NO_USAGE,
    model: 'model',
    apiMs: 0,
    ...changes,
  };
}

export const toolReply = (...toolUses: readonly ToolUse[]): Reply =>
  reply({ toolUses, stopReason: 'tool_use' });

export const truncated = (changes: Partial<Reply> = {}): Reply =>
  reply({ stopReason: 'max_tokens', withheld: 'output_limit', ...changes });

export const DONE: ToolOutcome = { type: 'done', isError: false };

export const gates = (changes: Partial<Gates>): Gates => ({ ...DEFAULT_GATES, ...changes });

/** Locals in which no field has the value that a query starts with. */
export function usedLocals(changes: Partial<Locals> = {}): Locals {
  return {
    taskBudgetRemaining: 500,
    tokenBudget: {
      total: 10_000,
      used: 1_000,
      continuations: 1,
      usedAtContinuation: 600,
      lastDelta: 600,
    },
    stopHookBlocks: 2,
    structuredFailures: 1,
    ...changes,
  };
}

/** The API refused the request for its size, and nobody was told yet. */
export const tooLong = (changes: Partial<Reply> = {}): Reply =>
  reply({
    stream: '',
    leaf: 'request-leaf',
    stopReason: null,
    withheld: 'prompt_too_long',
    ...changes,
  });

export const tooBigMedia = (): Reply => tooLong({ withheld: 'media_size' });

export const usageOf = (changes: Partial<Usage>): Usage => ({ ...NO_USAGE, ...changes });

type Compacted = Extract<CompactOutcome, { type: 'compacted' }>;

export function compacted(leaf = 'summary', changes: Partial<Compacted> = {}): Compacted {
  return {
    type: 'compacted',
    leaf,
    contextTokens: 0,
    costs: { model: 'model', usage: NO_USAGE, apiMs: 0 },
    ...changes,
  };
}

const unchanged = { leaf: 'full', pending: [] };

export const REFUSED: CompactOutcome = { type: 'refused', messages: unchanged };
export const COMPACT_FAILED: CompactOutcome = {
  type: 'failed',
  messages: unchanged,
  message: 'no summary',
};
export const COMPACT_STOPPED: CompactOutcome = { type: 'interrupted', messages: unchanged };

/** The context is nearly full. */
export const FULL = { type: 'compaction_needed', leaf: 'full' } as const;

export const tracking = (changes: Partial<AutoCompactTracking> = {}): AutoCompactTracking => ({
  compacted: false,
  turnId: '',
  turnCounter: 0,
  consecutiveFailures: 0,
  rapidRefills: 0,
  ...changes,
});
