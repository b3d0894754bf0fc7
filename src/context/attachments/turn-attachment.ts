import type { FileSeen, TurnAttachmentType } from '../../transcript/record';
import type { TurnFacts } from './turn-facts';

/** One text for the model, to be written as an attachment record of this type. */
export interface TurnAttachment {
  readonly type: TurnAttachmentType;
  /** Wrapped as a reminder. */
  readonly text: string;
  /** For the record's `everloop.files`: they count as read. */
  readonly filesSeen: readonly FileSeen[];
  /** For the record's `everloop.attached.keys`. */
  readonly keys: readonly string[];
}

/** null: nothing to tell this time. */
export type AttachmentSource = (facts: TurnFacts) => Promise<TurnAttachment | null>;
