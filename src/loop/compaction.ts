import type { Context } from './context';
import type { ToolUseContext } from './state';
import type { Usage } from './usage';

/** `auto`: the context is nearly full. `reactive`: the API refused it. `manual`: the user asked. */
export type CompactTrigger = 'auto' | 'reactive' | 'manual';

export interface CompactRequest {
  readonly messages: Context;
  readonly toolUseContext: ToolUseContext;
  readonly turnCount: number;
  readonly trigger: CompactTrigger;
}

/** `leaf`: end of the context that takes the place of the old one; everything of it is chained.
 *  `contextTokens`: what the last reply's request and the reply held, for the task budget (spec/loop 3.9).
 *  `refused`: there is nothing to summarise, or a hook forbade it. */
export type CompactOutcome =
  | {
      readonly type: 'compacted';
      readonly leaf: string;
      readonly contextTokens: number;
      readonly costs: CompactCosts;
    }
  | { readonly type: 'refused'; readonly messages: Context }
  | { readonly type: 'failed'; readonly messages: Context; readonly message: string }
  | { readonly type: 'interrupted'; readonly messages: Context };

/** What the summary request used. */
export interface CompactCosts {
  readonly model: string;
  readonly usage: Usage;
  readonly apiMs: number;
  /** USD by the Worker's own prices; absent: what the table says. */
  readonly costUsd?: number;
}
