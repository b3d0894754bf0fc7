/** Why a query ended. `detail` tells apart what one reason covers (spec/loop 2.1, 2.2). */
export type Terminal =
  | { readonly reason: 'completed'; readonly detail: CompletedDetail }
  | { readonly reason: 'max_turns'; readonly turnCount: number }
  | { readonly reason: 'aborted_streaming'; readonly by: AbortReason }
  | { readonly reason: 'aborted_tools'; readonly by: AbortReason }
  | { readonly reason: 'model_error'; readonly message: string }
  | { readonly reason: 'prompt_too_long' }
  | { readonly reason: 'image_error' };

/** `no_request`: a local command answered, the model was never asked. */
export type CompletedDetail = 'end_turn' | 'api_error' | 'output_limit' | 'no_request';

/** `user`: an explicit stop. `new_message`: the user wrote something that should be heard at once. */
export type AbortReason = 'user' | 'new_message';
