import { CancellationScope, condition } from '@temporalio/workflow';
import type { ToolCall } from '../loop/deps';
import type { AskedFacts, CallStanding, DecidedCall, Decision, Granted } from './approval';
import type { OpenQuestion } from './interface';

/** What ended the wait of a call. `in_store`: the answer is there. `granted`: it may be covered by now. */
export type Verdict =
  | { readonly type: 'in_store' }
  | { readonly type: 'decided'; readonly decision: Decision }
  | { readonly type: 'granted'; readonly granted: Granted };

interface Waiting {
  readonly question: OpenQuestion;
  settle(verdict: Verdict): void;
}

/** Decisions that travel with a rollover, so that who comes late still hears of them. */
const MOST_KEPT = 20;

/** The calls of a query that wait for somebody's word, and what was decided about others. The first word counts:
 *  the Workflow is the one place that all of them come to. */
export class OpenQuestions {
  readonly #waiting = new Map<string, Waiting>();
  /** By record, oldest first. */
  readonly #decided: Map<string, DecidedCall>;
  /** Those that were answered through the store. */
  readonly #inStore = new Set<string>();
  /** When a call was asked about first: a second look does not begin its time anew. */
  readonly #askedAtMs = new Map<string, number>();

  constructor(decided: readonly DecidedCall[]) {
    this.#decided = new Map(decided.map((one) => [one.call.recordId, one]));
  }

  get open(): readonly OpenQuestion[] {
    return [...this.#waiting.values()].map(({ question }) => question);
  }

  get decided(): readonly DecidedCall[] {
    return [...this.#decided.values()].slice(-MOST_KEPT);
  }

  /** Waits for somebody's word, for days if need be. `facts`: undefined when an older Worker asks.
   *  Fails: when the call is cancelled. */
  async ask(call: ToolCall, facts: AskedFacts | undefined): Promise<Verdict> {
    const { id, recordId, name, summary } = call.toolUse;
    const askedAtMs = this.#askedAtMs.get(recordId) ?? Date.now();
    this.#askedAtMs.set(recordId, askedAtMs);
    this.#decided.delete(recordId);
    const expiresAtMs = facts?.timeout === undefined ? null : askedAtMs + facts.timeout.ms;
    let verdict: Verdict | undefined;
    const settled = new Promise<Verdict>((resolve) => {
      const question = {
        call: { id, recordId },
        name,
        summary,
        askedAt: isoOf(askedAtMs),
        ...(expiresAtMs !== null && { expiresAt: isoOf(expiresAtMs) }),
        ...facts,
      };
      this.#waiting.set(recordId, {
        question,
        settle: (given) => resolve((verdict = given)),
      });
    });
    try {
      if (expiresAtMs === null) {
        return await Promise.race([settled, CancellationScope.current().cancelRequested]);
      }
      const leftMs = Math.max(1, expiresAtMs - Date.now());
      const title = `turn ${call.turnCount} · time to decide about ${name}`;
      await condition(() => verdict !== undefined, leftMs, { summary: title });
      return verdict ?? this.#expire(call, facts?.timeout?.outcome ?? 'deny');
    } catch (failure) {
      if (verdict === undefined) this.#note(call.toolUse, { standing: 'stopped', by: 'a stop' });
      throw failure;
    } finally {
      this.#waiting.delete(recordId);
    }
  }

  /** The answer to a call is in the store. false: it does not wait. */
  answeredInStore(recordId: string, by: string): boolean {
    const waiting = this.#waiting.get(recordId);
    if (waiting === undefined) return false;
    this.#inStore.add(recordId);
    this.#settle(waiting.question, { standing: 'answered', by }, { type: 'in_store' });
    return true;
  }

  /** Who asked the store's way, and again, was heard; whoever was slower than somebody else was not. */
  wasHeard(recordId: string): 'heard' | 'too_late' | 'unknown' {
    if (this.#inStore.has(recordId)) return 'heard';
    const { standing } = this.#decided.get(recordId) ?? {};
    return standing === undefined || standing === 'being_judged' ? 'unknown' : 'too_late';
  }

  /** Decides a call that waits, and lets it go on. */
  decide(question: OpenQuestion, decision: Decision): DecidedCall {
    const allowed = decision.answers === undefined ? 'approved' : 'answered';
    const standing = decision.behavior === 'deny' ? 'denied' : allowed;
    return this.#settle(question, { standing, by: decision.by }, { type: 'decided', decision });
  }

  /** Calls that a grant may cover are looked at again; those that it does not cover go on waiting. */
  reconsider(granted: Granted): void {
    for (const question of this.open) {
      if (question.isQuestion === true) continue;
      const standing = 'being_judged';
      this.#settle(question, { standing, by: granted.by }, { type: 'granted', granted });
    }
  }

  /** The call has an outcome. What was looked at again because of a grant is approved by it, if nobody asks again. */
  ended(recordId: string): void {
    this.#askedAtMs.delete(recordId);
    this.#inStore.delete(recordId);
    const decided = this.#decided.get(recordId);
    if (decided?.standing !== 'being_judged') return;
    this.#decided.set(recordId, { ...decided, standing: 'approved' });
  }

  #settle(
    { call, name }: OpenQuestion,
    of: { readonly standing: CallStanding; readonly by: string },
    verdict: Verdict,
  ): DecidedCall {
    const waiting = this.#waiting.get(call.recordId);
    this.#waiting.delete(call.recordId);
    const decided = this.#note({ ...call, name }, of);
    waiting?.settle(verdict);
    return decided;
  }

  #expire(call: ToolCall, behavior: Decision['behavior']): Verdict {
    const by = 'the time limit';
    const { at } = this.#note(call.toolUse, { standing: 'expired', by });
    return { type: 'decided', decision: { behavior, by, at, isTimeout: true } };
  }

  #note(
    { id, recordId, name }: DecidedCall['call'] & { readonly name: string },
    { standing, by }: { readonly standing: CallStanding; readonly by: string },
  ): DecidedCall {
    const decided = { call: { id, recordId }, name, standing, by, at: isoOf(Date.now()) };
    this.#decided.delete(recordId);
    this.#decided.set(recordId, decided);
    return decided;
  }
}

const isoOf = (ms: number): string => new Date(ms).toISOString();
