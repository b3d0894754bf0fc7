import {
  attachmentRecord,
  syntheticReply,
  userRecord,
  type RecordFacts,
} from '../activities/new-record';
import type { Context, LostReason, Pending } from '../loop/context';
import type { TranscriptRecord } from '../transcript/record';
import type { MemoryTranscript } from './memory-transcript';

const NUDGE =
  'The output limit cut your last message off. Go straight on from the exact point where it stopped, in mid-sentence if need be: no apology, no summary of what came before. Split what is left into smaller pieces.';
const LOST: Readonly<Record<LostReason, string>> = {
  user_interrupted:
    'The user stopped this tool call before it finished. It may have had part of its effect.',
  tool_failed:
    'The tool could not be run because the program around it failed. Nothing is known of its effect.',
};
const INTERRUPTED = {
  streaming: '[Request interrupted by user]',
  tools: '[Request interrupted by user for tool use]',
} as const;
const CUT_OFF =
  'API error: the reply was cut off by the output token limit again and again. Ask for smaller pieces, or raise the limit.';

/** Chains what is pending behind the leaf, in order. Returns the new leaf. */
export function chainPending(
  transcript: MemoryTranscript,
  { leaf, pending }: Context,
  facts: RecordFacts,
): string | null {
  const records = pending.map((item) => recordOf(transcript, item, facts));
  return transcript.append(leaf, records).at(-1)?.uuid ?? leaf;
}

function recordOf(
  transcript: MemoryTranscript,
  pending: Pending,
  facts: RecordFacts,
): TranscriptRecord {
  switch (pending.type) {
    case 'message':
      return transcript.find(pending.messageId);
    case 'tool_result': {
      const { toolUse, lost = 'tool_failed' } = pending;
      const content = LOST[lost];
      const block = {
        type: 'tool_result',
        tool_use_id: toolUse.id,
        content,
        is_error: true,
      } as const;
      return transcript.resultOf(toolUse) ?? userRecord(facts, [block]);
    }
    case 'nudge':
      return attachmentRecord(facts, 'nudge', NUDGE);
    case 'interruption':
      return userRecord(facts, [{ type: 'text', text: INTERRUPTED[pending.during] }]);
    case 'api_error':
      return syntheticReply(facts, { text: CUT_OFF, error: pending.error });
  }
}
