import type { LostReason } from '../loop/context';

/** Texts of ours that stand in for what is pending. Both hosts chain the same words. */
export const NUDGE_OUTPUT_LIMIT =
  'The output limit cut your last message off. Go straight on from the exact point where it stopped, in mid-sentence if need be: no apology, no summary of what came before. Split what is left into smaller pieces.';

export const LOST: Readonly<Record<LostReason, string>> = {
  user_interrupted:
    'The user stopped this tool call before it finished. It may have had part of its effect.',
  tool_failed:
    'The tool could not be run because the program around it failed. Nothing is known of its effect.',
};

export const INTERRUPTED = {
  streaming: '[Request interrupted by user]',
  tools: '[Request interrupted by user for tool use]',
} as const;

export const CUT_OFF_TOO_OFTEN =
  'API error: the reply was cut off by the output token limit again and again. Ask for smaller pieces, or raise CLAUDE_CODE_MAX_OUTPUT_TOKENS.';
