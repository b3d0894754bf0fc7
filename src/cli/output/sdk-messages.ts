import type { InboxMessage } from '../../transcript/message';
import type { SystemRecord, TranscriptRecord, UserRecord } from '../../transcript/record';
import type { LiveEvent, LogEntry } from '../../transcript/session-log';
import type { StreamId } from '../../transcript/stream-id';
import {
  assistantMessage,
  hookEndedMessage,
  hookStartedMessage,
  initMessage,
  noticeMessage,
  replayMessage,
  resultMessage,
  retryMessage,
  supersededMessage,
  systemMessage,
  toolUseSummaryMessage,
  userMessage,
  type SdkMessage,
} from './sdk-message';

export interface SdkMessagesOptions {
  readonly sessionId: string;
  readonly version: string;
  readonly replayPrompts: boolean;
  readonly includePartials: boolean;
  readonly includeHooks: boolean;
  /** undefined: no message that somebody sent has this id. */
  readonly findMessage: (id: string) => Promise<InboxMessage | undefined>;
  readonly newId: () => string;
}

/** Turns the log of one session into messages for its client, entry by entry. */
export class SdkMessages {
  readonly #options: SdkMessagesOptions;
  /** Blocks shown of each stream that may still be taken back. */
  readonly #shown = new Map<StreamId, string[]>();

  constructor(options: SdkMessagesOptions) {
    this.#options = options;
  }

  async ofEntry(entry: LogEntry): Promise<readonly SdkMessage[]> {
    const { sessionId, version, includePartials, includeHooks } = this.#options;
    switch (entry.type) {
      case 'query_started':
        return [initMessage(entry, version, this.#stamp())];
      case 'record':
        return await this.#ofRecord(entry.record, entry.stream);
      case 'api_retry':
        return [retryMessage(entry, this.#stamp())];
      case 'query_ended':
        return [resultMessage(entry, sessionId)];
      case 'stream_started':
        return includePartials ? [this.#status('requesting')] : [];
      case 'stream_committed':
        this.#shown.delete(entry.stream);
        return [];
      case 'stream_discarded':
        return this.#ofDiscarded(entry.stream);
      case 'notice':
        return [noticeMessage(entry, this.#stamp())];
      case 'status':
        return [this.#status(entry.status)];
      case 'tool_use_summary':
        return [toolUseSummaryMessage(entry, this.#stamp())];
      case 'hook_started':
        return includeHooks ? [hookStartedMessage(entry, this.#stamp())] : [];
      case 'hook_ended':
        return includeHooks ? [hookEndedMessage(entry, this.#stamp())] : [];
      case 'permission_requested':
      case 'permission_decided':
      case 'tool_started':
        return [];
    }
  }

  ofLive({ event }: LiveEvent): SdkMessage {
    return { type: 'stream_event', event, parent_tool_use_id: null, ...this.#stamp() };
  }

  async #ofRecord(
    record: TranscriptRecord,
    stream: StreamId | undefined,
  ): Promise<readonly SdkMessage[]> {
    const { sessionId } = this.#options;
    if (record.parentToolUseId !== undefined && !isOfSubAgent(record)) return [];
    switch (record.type) {
      case 'assistant':
        if (stream !== undefined) this.#noteShown(stream, record.uuid);
        return [assistantMessage(record, sessionId)];
      case 'system':
        return isForClients(record) ? [systemMessage(record, sessionId)] : [];
      case 'user': {
        const isOwn = record.parentToolUseId === undefined && !isToolResult(record);
        const prompt = !isOwn ? undefined : await this.#options.findMessage(record.uuid);
        return prompt ? this.#ofPrompt(prompt) : [userMessage(record, sessionId)];
      }
      case 'attachment': {
        // What the engine adds is for the model alone; what somebody wrote in mid-run is a prompt all the same.
        if (record.attachment.type !== 'queued_message') return [];
        const prompt = await this.#options.findMessage(record.uuid);
        return prompt ? this.#ofPrompt(prompt) : [];
      }
    }
  }

  #ofPrompt(prompt: InboxMessage): readonly SdkMessage[] {
    const { sessionId, replayPrompts } = this.#options;
    return replayPrompts ? [replayMessage({ ...prompt, sessionId })] : [];
  }

  #ofDiscarded(stream: StreamId): readonly SdkMessage[] {
    const shown = this.#shown.get(stream);
    this.#shown.delete(stream);
    return shown ? [supersededMessage(shown, this.#stamp())] : [];
  }

  #noteShown(stream: StreamId, uuid: string): void {
    this.#shown.set(stream, [...(this.#shown.get(stream) ?? []), uuid]);
  }

  #status(status: string | null): SdkMessage {
    return { type: 'system', subtype: 'status', status, ...this.#stamp() };
  }

  #stamp() {
    return { uuid: this.#options.newId(), session_id: this.#options.sessionId };
  }
}

/** Of a sub-agent clients see its task, its calls and their results, not what it says meanwhile. */
function isOfSubAgent(record: TranscriptRecord): boolean {
  if (record.type === 'user') return true;
  return (
    record.type === 'assistant' && record.message.content.some(({ type }) => type === 'tool_use')
  );
}

/** Our own bookkeeping, and what the result of the query says anyway. */
function isForClients({ subtype }: SystemRecord): boolean {
  return subtype !== 'context_decisions' && subtype !== 'prompt_refused';
}

function isToolResult({ message: { content } }: UserRecord): boolean {
  return typeof content !== 'string' && content.some((block) => block.type === 'tool_result');
}
