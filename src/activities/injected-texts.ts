import type { LostReason, Nudge, SyntheticError } from '../loop/context';

/** Texts of ours that stand in for what is pending. Both hosts chain the same words. */
export function nudgeText(kind: Nudge, percent = 0): string {
  switch (kind) {
    case 'output_limit':
      return 'The output limit cut your last message off. Go straight on from the exact point where it stopped, in mid-sentence if need be: no apology, no summary of what came before. Split what is left into smaller pieces.';
    case 'token_budget':
      return `You stopped at ${percent} % of the token budget for this task. Keep working on it; do not summarise what is done.`;
  }
}

export const stopFeedback = (reason: string): string => `Stop hook feedback:\n${reason}`;

export const LOST: Readonly<Record<LostReason, string>> = {
  user_interrupted:
    'The user stopped this tool call before it finished. It may have had part of its effect.',
  tool_failed:
    'The tool could not be run because the program around it failed. Nothing is known of its effect.',
  sibling_error:
    'Cancelled: a call of the same message failed. It may have had part of its effect.',
  budget_exhausted: 'Not run: the money limit of this session was reached.',
};

export const INTERRUPTED = {
  streaming: '[Request interrupted by user]',
  tools: '[Request interrupted by user for tool use]',
} as const;

/** What people are told when a query ends with an error that no reply of the API says. `error`: its kind, in the
 *  words of the protocol. */
export const ERRORS: Readonly<
  Record<SyntheticError, { readonly text: string; readonly error: string }>
> = {
  max_output_tokens: {
    error: 'max_output_tokens',
    text: 'API error: the reply was cut off by the output token limit again and again. Ask for smaller pieces, or raise CLAUDE_CODE_MAX_OUTPUT_TOKENS.',
  },
  prompt_too_long: {
    error: 'invalid_request',
    text: 'API error: the prompt is too long, and it could not be made shorter. Start a new session, or attach less.',
  },
  media_size: {
    error: 'invalid_request',
    text: 'API error: an image or document is too large. Make it smaller and attach it again.',
  },
  blocking_limit: {
    error: 'invalid_request',
    text: 'The prompt is too long: the context window is full, and nothing was sent. Use /compact, or start a new session.',
  },
  rapid_refill: {
    error: 'invalid_request',
    text: 'The context was full again right after each of several compactions: a file or an output is too large for it. Read it in parts, or start a new session.',
  },
};
