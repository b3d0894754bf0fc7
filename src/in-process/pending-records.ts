import { ERRORS, INTERRUPTED, LOST, nudgeText } from '../activities/injected-texts';
import {
  attachmentRecord,
  syntheticReply,
  userRecord,
  type RecordFacts,
} from '../activities/new-record';
import type { Context, Pending } from '../loop/context';
import type { TranscriptRecord } from '../transcript/record';
import type { MemoryTranscript } from './memory-transcript';

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
      return attachmentRecord(facts, 'nudge', nudgeText(pending.nudge, pending.percent));
    case 'interruption':
      return userRecord(facts, [{ type: 'text', text: INTERRUPTED[pending.during] }]);
    case 'api_error':
      return syntheticReply(facts, ERRORS[pending.error]);
  }
}
