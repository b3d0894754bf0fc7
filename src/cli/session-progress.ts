import { costOfQuery } from '../loop/tally';
import { factsOfModel } from '../loop/price-table';
import type { Shown } from '../progress/status-line';
import { redact } from '../redact/redact';
import { elapsed } from '../terminal/elapsed';
import { retryText } from '../terminal/query-notice';
import { dollars } from '../terminal/status-view';
import { withResults } from '../terminal/tool-item';
import { tellingInput } from '../terminal/tool-title';
import type { LogEntry } from '../transcript/session-log';
import type { QueryStatus } from '../workflows/interface';
import { printable } from './operator/printable';
import type { SessionStanding } from './session-connection';

type Entry<Type extends LogEntry['type']> = Extract<LogEntry, { type: Type }>;

interface Since {
  readonly text: string;
  readonly sinceMs: number;
}

interface Question {
  readonly text: string;
  readonly verb: 'approve' | 'answer';
  readonly toolUseId: string;
  /** Reply that it is a part of, as long as that streams. */
  readonly stream: string | undefined;
  readonly sinceMs: number;
}

/** What a session does now: its log says what runs, the session itself how much it has used. No clock, no I/O. */
export class SessionProgress {
  readonly #sessionId: string;
  /** Queries of people that have begun and not ended; those of sub-agents do not tell of their beginning. */
  readonly #running = new Map<string, Since>();
  readonly #tools = new Map<string, Since>();
  readonly #questions = new Map<string, Question>();
  #reply: Since | null = null;
  #retry: Since | null = null;
  #isCompacting = false;
  #turn = 0;
  #model = '';
  #standing: SessionStanding | null = null;
  /** A Worker that takes over needs a moment: only who is missed twice is missing. */
  #unservedLooks = 0;

  constructor(sessionId: string) {
    this.#sessionId = sessionId;
  }

  get isRunning(): boolean {
    return this.#running.size > 0;
  }

  /** `at`: ISO instant of the entry. */
  see(entry: LogEntry, at: string): void {
    const sinceMs = Date.parse(at);
    switch (entry.type) {
      case 'query_started':
        this.#running.set(entry.queryId, { text: '', sinceMs });
        this.#model = entry.init.model;
        return;
      case 'query_ended':
        this.#end(entry.queryId);
        return;
      case 'stream_started':
        this.#stream(entry, sinceMs);
        return;
      case 'stream_committed':
        this.#reply = null;
        return;
      case 'stream_discarded':
        this.#reply = null;
        this.#forget((question) => question.stream === entry.stream);
        return;
      case 'record':
        this.#record(entry);
        return;
      case 'tool_started': {
        const text = oneLine(`${entry.name} ${entry.summary}`);
        this.#tools.set(entry.toolUseId, { text, sinceMs });
        return;
      }
      case 'permission_requested':
        this.#ask(entry, sinceMs);
        return;
      case 'permission_decided':
        this.#questions.delete(entry.decision.call.recordId);
        return;
      case 'api_retry':
        this.#retry = { text: retryText(entry), sinceMs };
        return;
      case 'status':
        this.#isCompacting = entry.status === 'compacting';
        return;
      case 'notice':
      case 'hook_started':
      case 'hook_ended':
      case 'tool_use_summary':
        return;
    }
  }

  /** What the session says itself, which is newer than its log. */
  look(standing: SessionStanding): void {
    this.#standing = standing;
    this.#unservedLooks = standing.isServed ? 0 : this.#unservedLooks + 1;
  }

  /** null: nothing runs. */
  shown(nowMs: number): Shown | null {
    const [began] = this.#running.values();
    if (began === undefined) return null;
    const turn = Math.max(this.#turn, this.#standing?.query?.turn ?? 0);
    const head = turn === 0 ? '' : `turn ${turn}`;
    const waits = this.#waits(nowMs);
    if (waits !== null) return { head, ...waits, part: null, tone: 'waits' };
    const tail = [...this.#used(), elapsed(nowMs - began.sinceMs)].join(' · ');
    return { head, body: this.#doing(nowMs), tail, part: null, tone: 'calm' };
  }

  #waits(nowMs: number): Pick<Shown, 'body' | 'tail'> | null {
    const short = this.#sessionId.slice(0, 8);
    const [question] = this.#questions.values();
    if (question !== undefined) {
      const { text, verb, sinceMs } = question;
      const tail = `everloop ${verb} ${short} · ${elapsed(nowMs - sinceMs)}`;
      return {
        body: verb === 'answer' ? 'waits for an answer' : `waits for approval: ${text}`,
        tail,
      };
    }
    if (this.#unservedLooks > 1) {
      return { body: 'served by nobody: start everloop worker', tail: '' };
    }
    const query = this.#standing?.query;
    if (query?.waitingFor === 'resume') {
      return { body: 'paused', tail: `everloop resume ${short}` };
    }
    if (query?.waitingFor === 'budget') {
      const over = `over its limit (${query.crossed ?? 'usd'})`;
      return { body: over, tail: `everloop budget ${short}` };
    }
    if (query?.waitingFor === 'workspace') {
      const body = `no Worker of its workspace (${query.workspace ?? ''}) takes its work`;
      return { body, tail: `everloop workspace move ${short}` };
    }
    return this.#retry === null ? null : { body: this.#retry.text, tail: '' };
  }

  #doing(nowMs: number): string {
    if (this.#isCompacting) return 'compacts the conversation';
    const [tool] = this.#tools.values();
    if (tool !== undefined) {
      const more = this.#tools.size > 1 ? `${this.#tools.size} tools: ` : '';
      return `${more}${elapsed(nowMs - tool.sinceMs)} ${tool.text}`;
    }
    return this.#reply === null ? '' : `${elapsed(nowMs - this.#reply.sinceMs)} model`;
  }

  #used(): readonly string[] {
    const { query = null, endedUsd = 0 } = this.#standing ?? {};
    if (query === null) return [];
    const tokens = query.counters.contextTokens;
    const { contextWindow } = factsOfModel(modelOf(query) ?? this.#model);
    const cost = endedUsd + costOfQuery(query.tally);
    return [
      ...(tokens === 0 ? [] : [`context ${Math.round((100 * tokens) / contextWindow)} %`]),
      ...(cost === 0 ? [] : [dollars(cost)]),
    ];
  }

  #stream({ queryId, turn }: Entry<'stream_started'>, sinceMs: number): void {
    this.#retry = null;
    if (!this.#running.has(queryId)) return;
    this.#turn = turn;
    this.#reply = { text: '', sinceMs };
  }

  #record({ record }: Entry<'record'>): void {
    for (const [toolUseId] of withResults(record)) {
      this.#tools.delete(toolUseId);
      this.#forget((question) => question.toolUseId === toolUseId);
    }
  }

  #ask({ question, stream }: Entry<'permission_requested'>, sinceMs: number): void {
    const { call, toolName, input, reasonType } = question;
    const isQuestion = reasonType === 'user_interaction';
    this.#questions.set(call.recordId, {
      text: isQuestion ? '' : oneLine(`${toolName} ${tellingInput(toolName, input)}`),
      verb: isQuestion ? 'answer' : 'approve',
      toolUseId: call.id,
      stream,
      sinceMs,
    });
  }

  #forget(is: (question: Question) => boolean): void {
    for (const [recordId, question] of this.#questions) {
      if (is(question)) this.#questions.delete(recordId);
    }
  }

  #end(queryId: string): void {
    this.#running.delete(queryId);
    if (this.isRunning) return;
    this.#tools.clear();
    this.#questions.clear();
    this.#reply = this.#retry = this.#standing = null;
    this.#isCompacting = false;
    this.#turn = 0;
  }
}

/** A terminal shows it as it is, and no secret of it. */
const oneLine = (text: string): string => printable(redact(text.replace(/\s+/g, ' ').trim()));

/** The one that answered last. */
const modelOf = ({ tally }: QueryStatus): string | undefined =>
  Object.keys(tally.usageByModel).at(-1);
