import type { ContentBlockParam } from '@anthropic-ai/sdk/resources/messages';
import {
  CommandLineError,
  type PromptGrant,
  type RunPromptLine,
} from '../../context/expand-prompt';
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

/** The commands about the conversation that are answered at once. */
export type AnsweredCommand = 'clear' | 'context' | 'cost';

/** What the query that answers a message does for its prompt. */
export interface PromptHost {
  /** Returns what runs the lines of the message's command. */
  linesOf(messageId: string): RunPromptLine;
  /** Keeps what a command brings for its query. */
  grant(grant: PromptGrant): Promise<void>;
  /** Records that stand around the answer, and the answer. */
  answer(command: AnsweredCommand): Promise<CommandAnswer>;
}

export interface CommandAnswer {
  readonly text: string;
  readonly before: readonly TranscriptRecord[];
  readonly after: readonly TranscriptRecord[];
}

/** For a query that is over: its prompt is kept as what it says, and nothing is run for it any more. */
export const ENDED_QUERY: PromptHost = {
  linesOf: () => (line) =>
    Promise.reject(
      new CommandLineError(`Its line \`${line}\` was not reached: the query was ended.`),
    ),
  grant: () => Promise.resolve(),
  answer: () =>
    Promise.resolve({ text: 'The query was ended before its command.', before: [], after: [] }),
};

/** The records a message becomes. The one that carries the user's words has the message's id. */
export async function expandMessage(of: {
  readonly message: InboxMessage;
  readonly isSteering: boolean;
  readonly facts: RecordFacts;
  readonly surroundings: Surroundings;
  readonly host: PromptHost;
}): Promise<readonly TranscriptRecord[]> {
  const { message, isSteering, facts, surroundings, host } = of;
  if (isSteering) return [steeringRecord(message, facts)];
  const { content, options, id: uuid } = message;
  // What a program says is taken as it is.
  const typed = message.origin === 'agent' ? null : typedText(content);
  if (typed === null) return [{ ...userRecord(facts, content), uuid }];

  const place = { cwd: facts.cwd, options };
  const expanded = await surroundings.expandPrompt(typed, place, host.linesOf(uuid));
  const command = { ...commandRecord(facts, typed), uuid };
  switch (expanded.type) {
    case 'local':
      return [command, syntheticReply(facts, { text: expanded.answer })];
    case 'compact':
      return [command];
    case 'clear':
    case 'context':
    case 'cost': {
      const { text, before, after } = await host.answer(expanded.type);
      return [...before, command, ...after, syntheticReply(facts, { text })];
    }
    case 'prompt': {
      if (expanded.grant !== undefined) await host.grant(expanded.grant);
      const attached = expanded.attachments.map(({ text, images = [], filesSeen: files }) => ({
        ...attachmentRecord(facts, 'file', [{ type: 'text', text }, ...images]),
        everloop: { files },
      }));
      return [...attached, { ...userRecord(facts, withText(content, expanded.text)), uuid }];
    }
  }
}

/** What a person wrote: the whole content, or its one text among images. null: there is no such text. */
function typedText(content: InboxMessage['content']): string | null {
  if (typeof content === 'string') return content;
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return texts.length === 1 ? (texts[0] ?? null) : null;
}

function withText(content: InboxMessage['content'], text: string): InboxMessage['content'] {
  if (typeof content === 'string') return text;
  return content.map((block) => (block.type === 'text' ? { ...block, text } : block));
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
