/** Why a query ended: ten reasons of the source documents and three newer ones (spec/loop 2.2, 2.4). `detail` tells
 *  apart what one reason covers; together they are the ways out of the loop (docs/loop-coverage.md). */
export type Terminal =
  | { readonly reason: 'completed'; readonly detail: CompletedDetail }
  | { readonly reason: 'blocking_limit' }
  | { readonly reason: 'prompt_too_long' }
  | { readonly reason: 'image_error' }
  | { readonly reason: 'model_error'; readonly message: string }
  | { readonly reason: 'aborted_streaming'; readonly by: AbortReason }
  | { readonly reason: 'aborted_tools'; readonly by: AbortReason }
  | { readonly reason: 'stop_hook_prevented' }
  | { readonly reason: 'hook_stopped' }
  | { readonly reason: 'max_turns'; readonly turnCount: number }
  | { readonly reason: 'rapid_refill_breaker' }
  /** `limit` absent: the money. */
  | { readonly reason: 'budget_exhausted'; readonly limit?: 'tokens' | 'time' }
  | { readonly reason: 'structured_output_retry_exhausted' };

/** `no_request`: a local command answered, the model was never asked. `empty`: the model answered nothing.
 *  `structured_output`: the value that was asked for is there. */
export type CompletedDetail =
  'end_turn' | 'empty' | 'api_error' | 'output_limit' | 'no_request' | 'structured_output';

/** `user`: an explicit stop. `new_message`: the user wrote something that should be heard at once. */
export type AbortReason = 'user' | 'new_message';
