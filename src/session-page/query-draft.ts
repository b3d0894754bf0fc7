import { costOf } from '../loop/price-table';
import { NO_USAGE } from '../loop/usage';
import { UNKNOWN_OUTCOME } from '../activities/run-tool/tool-run';
import { isPrompt } from '../transcript/prompt-record';
import type { TranscriptRecord, UserRecord } from '../transcript/record';
import type { LogEntry } from '../transcript/session-log';
import { CallDraft } from './call-draft';
import type { Compaction, Mark, QueryFacts, QueryState, ReplyFacts } from './facts';
import { contentText } from './content-text';
import { TurnDraft } from './turn-draft';

type AssistantRecord = Extract<TranscriptRecord, { type: 'assistant' }>;

/** Of a reply, by the record that ends it; undefined: it is not on record. */
export type FindReply = (leaf: string) => Promise<ReplyFacts | undefined>;

/** One query as the session log tells of it, entry by entry. */
export class QueryDraft {
  readonly queryId: string;
  readonly promptId: string;
  /** The call that it answers; null: a person's message. */
  parentCall: string | null = null;
  readonly #findReply: FindReply;
  readonly #fromMs: number;
  #lastMs: number;
  #endMs: number | null = null;
  #prompt: string | null = null;
  #model: string | null = null;
  #result: QueryFacts['result'] = null;
  readonly #turns = new Map<number, TurnDraft>();
  readonly #turnOfStream = new Map<string, TurnDraft>();
  /** By their own ids: where one repeats, the newest counts. */
  readonly #calls = new Map<string, CallDraft>();
  readonly #compactions: Mutable<Compaction>[] = [];
  readonly #marks: Mark[] = [];

  constructor(queryId: string, promptId: string, fromMs: number, findReply: FindReply) {
    this.queryId = queryId;
    this.promptId = promptId;
    this.#fromMs = fromMs;
    this.#lastMs = fromMs;
    this.#findReply = findReply;
  }

  get calls(): readonly CallDraft[] {
    return [...this.#turns.values()].flatMap(({ calls }) => calls);
  }

  async add(entry: LogEntry, atMs: number): Promise<void> {
    this.#lastMs = Math.max(this.#lastMs, atMs);
    switch (entry.type) {
      case 'query_started':
        this.#model = entry.init.model;
        return;
      case 'record':
        this.#addRecord(entry.record, entry.stream ?? entry.record.everloop?.stream, atMs);
        return;
      case 'stream_started': {
        const turn = this.#turns.get(entry.turn) ?? new TurnDraft(entry.turn);
        this.#turns.set(entry.turn, turn);
        this.#turnOfStream.set(entry.stream, turn);
        turn.begin(entry.stream, atMs);
        return;
      }
      case 'stream_committed':
        this.#turnOfStream
          .get(entry.stream)
          ?.commit(entry.stream, atMs, await this.#findReply(entry.leaf));
        return;
      case 'stream_discarded': {
        const turn = this.#turnOfStream.get(entry.stream);
        turn?.discard(entry.stream, atMs, entry.reason);
        for (const [id, call] of this.#calls) {
          if (call.stream === entry.stream) this.#calls.delete(id);
        }
        return;
      }
      case 'api_retry': {
        const status = entry.status === null ? 'no answer' : String(entry.status);
        const next = `try ${entry.attempt + 1}`;
        this.#mark('retry', atMs, `${status} ${entry.error}, ${next} after ${entry.delayMs} ms`);
        return;
      }
      case 'notice':
        if (entry.level === 'warning') this.#mark('notice', atMs, 'warning', entry.text);
        return;
      case 'status':
        if (entry.status === 'compacting') this.#compactionFrom(atMs);
        else this.#compactionTo(atMs);
        return;
      case 'permission_requested':
        this.#calls.get(entry.question.call.id)?.asked(atMs);
        return;
      case 'permission_decided':
        this.#calls.get(entry.decision.call.id)?.decided(atMs, entry.decision);
        return;
      case 'tool_started':
        this.#calls.get(entry.toolUseId)?.started(atMs, entry.summary);
        return;
      case 'query_ended': {
        const { subtype, is_error, terminal_reason, errors } = entry.result;
        this.#endMs = atMs;
        this.#result = { subtype, is_error, terminal_reason, ...(errors && { errors }) };
        for (const denial of entry.result.permission_denials) {
          this.#calls.get(denial.tool_use_id)?.denied();
        }
        return;
      }
      case 'tool_use_summary':
      case 'hook_started':
      case 'hook_ended':
        return;
    }
  }

  /** `state`: of one whose end is not on record. */
  toFacts(state: Exclude<QueryState, 'ended'>): QueryFacts {
    const isOver = this.#endMs !== null || state !== 'running';
    const turns = [...this.#turns.values()].sort((a, b) => a.number - b.number);
    return {
      queryId: this.queryId,
      promptId: this.promptId,
      prompt: this.#prompt,
      model: this.#model,
      fromMs: this.#fromMs,
      toMs: this.#endMs ?? (isOver ? this.#lastMs : null),
      state: this.#endMs === null ? state : 'ended',
      result: this.#result,
      turns: turns.map((turn) => turn.toFacts(isOver ? (this.#endMs ?? this.#lastMs) : null)),
      compactions: this.#compactions,
      pauses: [],
      marks: this.#marks,
      workers: [],
    };
  }

  #addRecord(record: TranscriptRecord, stream: string | undefined, atMs: number): void {
    this.parentCall ??= record.parentToolUseId ?? null;
    switch (record.type) {
      case 'assistant':
        this.#addReply(record, stream, atMs);
        return;
      case 'user':
        this.#addUser(record, atMs);
        return;
      case 'attachment':
        if (isPrompt(record)) {
          this.#mark('message', atMs, 'message', contentText(record.attachment.content));
        }
        return;
      case 'system':
        if (record.subtype === 'compact_boundary') this.#compacted(record, atMs);
    }
  }

  #addReply(record: AssistantRecord, stream: string | undefined, atMs: number): void {
    const turn = this.#turnOfStream.get(stream ?? '');
    if (record.isApiErrorMessage === true || turn === undefined) {
      if (record.everloop?.isKept !== true) {
        this.#mark('notice', atMs, 'error', contentText(record.message.content));
      }
      return;
    }
    for (const block of record.message.content) {
      if (block.type === 'text') turn.say(block.text);
      if (block.type !== 'tool_use') continue;
      const { id, name, input } = block;
      const call = new CallDraft({ id, name, input, recordId: record.uuid, stream, atMs });
      this.#calls.set(id, call);
      turn.calls.push(call);
    }
  }

  #addUser(record: UserRecord, atMs: number): void {
    const { content } = record.message;
    if (isPrompt(record)) {
      if (record.uuid === this.promptId || this.#prompt === null) {
        this.#prompt ??= contentText(content);
      } else this.#mark('message', atMs, 'message', contentText(content));
      return;
    }
    if (typeof content === 'string') return;
    for (const block of content) {
      if (block.type !== 'tool_result') continue;
      const text = contentText(block.content);
      const failed = text.startsWith(UNKNOWN_OUTCOME) ? 'unknown' : 'error';
      this.#calls
        .get(block.tool_use_id)
        ?.ended(atMs, block.is_error === true ? failed : 'ok', text);
    }
  }

  #compactionFrom(fromMs: number): void {
    this.#compactionTo(fromMs);
    this.#compactions.push({ fromMs, toMs: null, costUsd: 0, usage: NO_USAGE });
  }

  #compactionTo(toMs: number): void {
    const last = this.#compactions.at(-1);
    if (last?.toMs === null) last.toMs = toMs;
  }

  #compacted({ everloop }: TranscriptRecord, atMs: number): void {
    const costs = everloop?.compaction?.costs;
    let last = this.#compactions.at(-1);
    // The boundary may be told a moment after the end.
    if (last === undefined || last.costUsd > 0) {
      last = { fromMs: atMs - (costs?.apiMs ?? 0), toMs: atMs, costUsd: 0, usage: NO_USAGE };
      this.#compactions.push(last);
    }
    if (costs === undefined) return;
    last.usage = costs.usage;
    last.costUsd = costs.costUsd ?? costOf(costs.model, costs.usage);
  }

  #mark(type: Mark['type'], atMs: number, label: string, text = ''): void {
    this.#marks.push({ type, atMs, label, text });
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
