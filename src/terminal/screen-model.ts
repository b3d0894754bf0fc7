import type { FollowedEntry, LiveEvent, LogEntry, QueryResult } from '../transcript/session-log';
import type { TranscriptRecord } from '../transcript/record';
import type { StreamId } from '../transcript/stream-id';
import type { WaitingQuestion } from '../cli/session-connection';
import { growLive } from './live-block';
import { endNotice, retryText } from './query-notice';
import { itemsOfRecord, promptTextOf } from './record-items';
import type { LiveBlock, NoticeItem, ScreenItem, TextItem, ToolItem } from './screen-item';
import { withResults } from './tool-item';

type Entry<Type extends LogEntry['type']> = Extract<LogEntry, { type: Type }>;

/** A message that was sent and that nobody has taken up. */
export interface WaitingMessage {
  readonly id: string;
  readonly text: string;
  /** The session has it: nothing can lose it any more. */
  readonly isAccepted: boolean;
}

/** What a terminal shows of one session, made from its log alone: no clock, no I/O. */
export class ScreenModel {
  /** Oldest first. */
  readonly items: ScreenItem[] = [];
  /** The reply block that grows now; null: none. */
  live: LiveBlock | null = null;
  /** Oldest first: each waits for an answer. */
  questions: readonly WaitingQuestion[] = [];
  waiting: readonly WaitingMessage[] = [];
  isCompacting: boolean = false;
  /** Why a request is sent again, and when it was said; null: none is. */
  retry: { readonly text: string; readonly at: string } | null = null;
  lastResult: QueryResult | null = null;
  model: string | null = null;
  /** Tokens of the newest request and its reply. */
  contextTokens = 0;
  /** When the running query began, ISO; null: none runs. */
  workingSince: string | null = null;
  /** Tool calls whose place in `items` is known, by id. */
  readonly #tools = new Map<string, number>();
  readonly #seen = new Set<string>();
  /** Queries of people that have begun and not ended. Those of sub-agents are not told of. */
  readonly #running = new Set<string>();
  #liveStream: StreamId | null = null;

  get isWorking(): boolean {
    return this.#running.size > 0;
  }

  get runningTools(): readonly ToolItem[] {
    return this.items.filter(
      (item): item is ToolItem => item.type === 'tool' && item.state === 'running',
    );
  }

  /** A message is on its way. */
  sent(message: WaitingMessage): void {
    if (this.#seen.has(message.id) || this.waiting.some(({ id }) => id === message.id)) return;
    this.waiting = [...this.waiting, message];
  }

  accepted(id: string): void {
    this.waiting = this.waiting.map((message) =>
      message.id === id ? { ...message, isAccepted: true } : message,
    );
  }

  /** It never arrived. */
  unsent(id: string): void {
    this.waiting = this.waiting.filter((message) => message.id !== id);
  }

  notice(text: string, level: NoticeItem['level'] = 'info'): void {
    this.items.push({ type: 'notice', level, text });
  }

  /** The question has its answer, though the log does not tell yet. */
  answered(recordId: string): void {
    this.questions = this.questions.filter(({ question }) => question.call.recordId !== recordId);
  }

  see({ entry, at }: Pick<FollowedEntry, 'entry' | 'at'>): void {
    switch (entry.type) {
      case 'query_started':
        this.#running.add(entry.queryId);
        this.workingSince = at;
        this.model = entry.init.model;
        return;
      case 'query_ended':
        this.#end(entry);
        return;
      case 'record':
        this.#record(entry, at);
        return;
      case 'stream_started':
        this.retry = null;
        this.live = null;
        this.#liveStream = this.#running.has(entry.queryId) ? entry.stream : null;
        return;
      case 'stream_committed':
        this.#closeStream(entry.stream);
        this.#keepStream(entry.stream);
        return;
      case 'stream_discarded':
        this.#closeStream(entry.stream);
        this.#takeBack(entry.stream);
        return;
      case 'tool_started':
        this.#change(entry.toolUseId, (tool) => ({ ...tool, state: 'running', startedAt: at }));
        return;
      case 'permission_requested':
        this.#ask(entry);
        return;
      case 'permission_decided':
        this.answered(entry.decision.call.recordId);
        return;
      case 'api_retry':
        this.retry = { text: retryText(entry), at };
        return;
      case 'status':
        this.isCompacting = entry.status === 'compacting';
        return;
      case 'notice':
        this.notice(entry.text, entry.level);
        return;
      case 'hook_started':
      case 'hook_ended':
      case 'tool_use_summary':
        return;
    }
  }

  /** Only what the main query streams is shown as it grows. */
  seeLive({ event }: LiveEvent): void {
    if (this.#liveStream !== null) this.live = growLive(this.live, event);
  }

  /** A record that the log knows nothing of: of a conversation that came from elsewhere. */
  seeOlder(record: TranscriptRecord): void {
    this.#record({ type: 'record', queryId: '', record }, record.timestamp);
  }

  #record({ record, stream }: Entry<'record'>, at: string): void {
    if (this.#seen.has(record.uuid)) return;
    this.#seen.add(record.uuid);
    if (record.parentToolUseId !== undefined) {
      this.#seeSubAgent(record.parentToolUseId, record);
      return;
    }
    if (stream !== undefined && stream === this.#liveStream) this.live = null;
    const sent = this.waiting.find(({ id }) => id === record.uuid);
    this.unsent(record.uuid);
    const prompt = promptTextOf(record, sent?.text ?? null);
    if (prompt !== null) this.items.push({ type: 'prompt', text: prompt });
    for (const [toolUseId, result] of withResults(record)) {
      this.#change(toolUseId, (tool) => ({ ...tool, ...result, endedAt: at }));
      this.questions = this.questions.filter(({ question }) => question.call.id !== toolUseId);
    }
    if (record.type === 'assistant') this.#countTokens(record);
    const ofStream = stream === undefined ? {} : { stream };
    for (const item of itemsOfRecord(record)) {
      if (item.type === 'tool') this.#tools.set(item.toolUseId, this.items.length);
      this.items.push(item.type === 'notice' ? item : { ...item, ...ofStream });
    }
  }

  #countTokens({ message }: Extract<TranscriptRecord, { type: 'assistant' }>): void {
    const { usage } = message;
    const read = usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
    const tokens = usage.input_tokens + read + usage.output_tokens;
    if (tokens > 0) this.contextTokens = tokens;
  }

  #seeSubAgent(parentToolUseId: string, record: TranscriptRecord): void {
    const names = itemsOfRecord(record).flatMap((item) =>
      item.type === 'tool' ? [item.name] : [],
    );
    if (names.length === 0) return;
    this.#change(parentToolUseId, (tool) => ({ ...tool, subCalls: [...tool.subCalls, ...names] }));
  }

  #ask({ queryId, question, stream }: Entry<'permission_requested'>): void {
    this.answered(question.call.recordId);
    const asked = { queryId, question, ...(stream !== undefined && { stream }) };
    this.questions = [...this.questions, asked];
  }

  #end({ queryId, result }: Entry<'query_ended'>): void {
    this.#running.delete(queryId);
    this.questions = this.isWorking
      ? this.questions.filter((asked) => asked.queryId !== queryId)
      : [];
    this.lastResult = result;
    this.live = null;
    this.retry = null;
    this.isCompacting = false;
    if (this.isWorking) return;
    this.workingSince = null;
    for (const id of this.#tools.keys()) {
      this.#change(id, (tool) =>
        tool.state === 'running' || tool.state === 'asked' ? { ...tool, state: 'stopped' } : tool,
      );
    }
    const notice = endNotice(result);
    if (notice !== null) this.items.push(notice);
  }

  #change(toolUseId: string, change: (tool: ToolItem) => ToolItem): void {
    const index = this.#tools.get(toolUseId);
    const item = index === undefined ? undefined : this.items[index];
    if (index === undefined || item?.type !== 'tool') return;
    this.items[index] = change(item);
  }

  #closeStream(stream: StreamId): void {
    if (this.#liveStream !== stream) return;
    this.live = null;
    this.#liveStream = null;
  }

  #keepStream(stream: StreamId): void {
    this.items.forEach((item, index) => {
      if (!('stream' in item) || item.stream !== stream) return;
      this.items[index] = settled(item);
    });
  }

  #takeBack(stream: StreamId): void {
    const kept = this.items.filter((item) => !('stream' in item) || item.stream !== stream);
    this.items.length = 0;
    this.#tools.clear();
    for (const item of kept) {
      if (item.type === 'tool') this.#tools.set(item.toolUseId, this.items.length);
      this.items.push(item);
    }
    this.questions = this.questions.filter((asked) => asked.stream !== stream);
  }
}

/** It cannot be taken back any more. */
function settled(item: TextItem | ToolItem): TextItem | ToolItem {
  const { stream, ...rest } = item;
  return stream === undefined ? item : rest;
}
