import { randomUUID } from 'node:crypto';
import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import { NO_USAGE } from '../loop/usage';
import type {
  AssistantRecord,
  AttachmentRecord,
  RecordBase,
  SystemRecord,
  UserRecord,
} from '../transcript/record';

/** What all records of one append share. */
export type RecordFacts = Pick<RecordBase, 'sessionId' | 'cwd' | 'timestamp' | 'version'> &
  Partial<Pick<RecordBase, 'isSidechain' | 'parentToolUseId'>>;

const base = (facts: RecordFacts): RecordBase => ({
  isSidechain: false,
  ...facts,
  uuid: randomUUID(),
  parentUuid: null,
  userType: 'external',
});

export function userRecord(
  facts: RecordFacts,
  content: UserRecord['message']['content'],
): UserRecord {
  return { ...base(facts), type: 'user', message: { role: 'user', content } };
}

export function attachmentRecord(
  facts: RecordFacts,
  type: AttachmentRecord['attachment']['type'],
  content: string | readonly ContentBlockParam[],
): AttachmentRecord {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content } as const] : content;
  return { ...base(facts), type: 'attachment', attachment: { type, content: blocks } };
}

export function systemRecord(facts: RecordFacts, subtype: string): SystemRecord {
  return { ...base(facts), type: 'system', subtype };
}

/** A command that was answered here: people see it, the model never does. */
export function commandRecord(facts: RecordFacts, content: string): SystemRecord {
  return { ...base(facts), type: 'system', subtype: 'local_command', content, level: 'info' };
}

/** An assistant message that no model wrote: it tells people what went wrong and is never sent to the API. */
export function syntheticReply(
  facts: RecordFacts,
  { text, error }: { readonly text: string; readonly error?: string },
): AssistantRecord {
  const uuid = randomUUID();
  return {
    ...base(facts),
    uuid,
    type: 'assistant',
    isApiErrorMessage: true,
    ...(error !== undefined && { error }),
    message: {
      id: uuid,
      type: 'message',
      role: 'assistant',
      model: '<synthetic>',
      content: [{ type: 'text', text, citations: null }],
      stop_reason: 'stop_sequence',
      stop_sequence: '',
      usage: NO_USAGE,
    },
  };
}
