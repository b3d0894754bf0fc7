import type { LogEntry } from '../../transcript/session-log';
import type { PermissionAnswer, PermissionQuestion } from '../../transcript/permission';
import type { WaitingQuestion } from '../session-connection';
import { isJsonObject, type JsonObject } from './json-object';
import { toPermissionAnswer } from './permission-answer';

export interface QuestionHost {
  /** One frame to the program that hosts the session. */
  write(frame: JsonObject): Promise<void>;
  newId(): string;
  answer(waiting: WaitingQuestion, answer: PermissionAnswer): Promise<void>;
}

/** Permission questions on their way to the program that hosts the session, each asked once, and its answers. */
export class HostQuestions {
  readonly #host: QuestionHost;
  /** By the id of our request. */
  readonly #open = new Map<string, WaitingQuestion>();
  readonly #asked = new Set<string>();
  #isOver = false;

  constructor(host: QuestionHost) {
    this.#host = host;
  }

  get isWaiting(): boolean {
    return this.#open.size > 0;
  }

  /** The frames that wait for an answer. */
  get open(): readonly JsonObject[] {
    return [...this.#open].map(([requestId, { question }]) => toFrame(requestId, question));
  }

  async ask(waiting: WaitingQuestion): Promise<void> {
    const { recordId } = waiting.question.call;
    if (this.#asked.has(recordId)) return;
    this.#asked.add(recordId);
    if (this.#isOver) {
      await this.#host.answer(waiting, NOBODY);
      return;
    }
    const requestId = this.#host.newId();
    this.#open.set(requestId, waiting);
    await this.#host.write(toFrame(requestId, waiting.question));
  }

  /** `response`: null when the host failed. Answers to questions that are over are ignored. */
  async answered(requestId: string, response: JsonObject | null, error: string): Promise<void> {
    const waiting = this.#open.get(requestId);
    if (waiting === undefined) return;
    this.#open.delete(requestId);
    await this.#host.answer(waiting, toPermissionAnswer(response, error));
  }

  /** A question is over when somebody else has decided, its call has a result, its reply is taken back, or its query has ended. */
  async see(entry: LogEntry): Promise<void> {
    if (entry.type === 'permission_requested') {
      const { queryId, question, stream } = entry;
      await this.ask({ queryId, question, ...(stream !== undefined && { stream }) });
    }
    for (const [requestId, { queryId, question, stream }] of this.#open) {
      const isOver =
        (entry.type === 'query_ended' && entry.queryId === queryId) ||
        (entry.type === 'permission_decided' &&
          entry.decision.call.recordId === question.call.recordId) ||
        (entry.type === 'stream_discarded' && entry.stream === stream) ||
        (entry.type === 'record' && holdsResult(entry.record, question.call.id));
      if (!isOver) continue;
      this.#open.delete(requestId);
      await this.#host.write({ type: 'control_cancel_request', request_id: requestId });
    }
  }

  /** The host will not speak again: what it was asked, and will be, is a no. */
  async end(): Promise<void> {
    this.#isOver = true;
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const waiting of open) await this.#host.answer(waiting, NOBODY);
  }
}

const NOBODY: PermissionAnswer = {
  behavior: 'deny',
  message: 'The program that would have answered this permission question has closed its input.',
  by: 'host',
};

const toFrame = (requestId: string, question: PermissionQuestion): JsonObject => ({
  type: 'control_request',
  request_id: requestId,
  request: toRequest(question),
});

function toRequest(question: PermissionQuestion): JsonObject {
  const { call, toolName, input, reason, reasonType, suggestedRules, blockedPath } = question;
  return {
    subtype: 'can_use_tool',
    tool_name: toolName,
    input,
    tool_use_id: call.id,
    decision_reason: reason,
    decision_reason_type: reasonType,
    ...(reasonType === 'user_interaction' && { requires_user_interaction: true }),
    ...(blockedPath !== null && { blocked_path: blockedPath }),
    ...(suggestedRules.length > 0 && {
      permission_suggestions: [
        {
          type: 'addRules',
          rules: suggestedRules.map(toRuleValue),
          behavior: 'allow',
          destination: 'session',
        },
      ],
    }),
  };
}

function toRuleValue(rule: string): JsonObject {
  const parts = /^([^(]+)\(([^]*)\)$/.exec(rule);
  return parts === null ? { toolName: rule } : { toolName: parts[1], ruleContent: parts[2] };
}

function holdsResult(
  record: Extract<LogEntry, { type: 'record' }>['record'],
  toolUseId: string,
): boolean {
  if (record.type !== 'user' || typeof record.message.content === 'string') return false;
  return record.message.content.some(
    (block) => isJsonObject(block) && block['tool_use_id'] === toolUseId,
  );
}
