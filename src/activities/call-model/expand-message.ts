import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import type { InboxMessage } from '../../transcript/message';
import type { AttachmentRecord, TranscriptRecord } from '../../transcript/record';
import type { Surroundings } from '../deps';
import {
  attachmentRecord,
  commandRecord,
  syntheticReply,
  userRecord,
  type RecordFacts,
} from '../new-record';

/** The records a message becomes. The one that carries the user's words has the message's id. */
export async function expandMessage(of: {
  readonly message: InboxMessage;
  readonly isSteering: boolean;
  readonly facts: RecordFacts;
  readonly surroundings: Surroundings;
}): Promise<readonly TranscriptRecord[]> {
  const { message, isSteering, facts, surroundings } = of;
  if (isSteering) return [steeringRecord(message, facts)];
  const { content, options, id: uuid } = message;
  if (typeof content !== 'string') return [{ ...userRecord(facts, content), uuid }];

  const expanded = await surroundings.expandPrompt(content, { cwd: facts.cwd, options });
  if (expanded.type === 'local') {
    return [
      { ...commandRecord(facts, content), uuid },
      syntheticReply(facts, { text: expanded.answer }),
    ];
  }
  if (expanded.type === 'compact') return [{ ...commandRecord(facts, content), uuid }];
  const attached = expanded.attachments.map(({ text, filesSeen: files }) => ({
    ...attachmentRecord(facts, 'file', text),
    everloop: { files },
  }));
  return [...attached, { ...userRecord(facts, expanded.text), uuid }];
}

const blocksOf = (content: InboxMessage['content']): readonly ContentBlockParam[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : content;

/** Told beside the tool results, so that the work at hand is finished first (spec/loop 8.2). */
function steeringRecord({ content, id: uuid }: InboxMessage, facts: RecordFacts): AttachmentRecord {
  const texts = blocksOf(content).map((block): ContentBlockParam => {
    if (block.type !== 'text') return block;
    const text = `<system-reminder>\nThe user wrote this while you were working:\n${block.text}\n\nTake it into account now, and make sure that it is answered when the current work is done.\n</system-reminder>`;
    return { type: 'text', text };
  });
  return { ...attachmentRecord(facts, 'queued_message', texts), uuid };
}
