import { tellingInput } from '../terminal/tool-title';
import type { PermissionDecision } from '../transcript/permission';
import type { CallFacts, CallOutcome, QueryFacts, Wait } from './facts';

/** A call as it becomes known. */
export class CallDraft {
  readonly id: string;
  readonly recordId: string;
  readonly stream: string | undefined;
  subAgent: QueryFacts | null = null;
  readonly #name: string;
  readonly #toldMs: number;
  #summary: string;
  #startMs: number | null = null;
  #endMs: number | null = null;
  #outcome: CallOutcome = 'running';
  #failure = '';
  readonly #waits: Wait[] = [];

  constructor(of: {
    readonly id: string;
    readonly recordId: string;
    readonly name: string;
    readonly input: unknown;
    readonly stream: string | undefined;
    readonly atMs: number;
  }) {
    this.id = of.id;
    this.recordId = of.recordId;
    this.stream = of.stream;
    this.#name = of.name;
    this.#summary = tellingInput(of.name, of.input);
    this.#toldMs = of.atMs;
  }

  asked(fromMs: number): void {
    this.#waits.push({ fromMs, toMs: null, decision: null });
  }

  decided(toMs: number, { behavior, by }: PermissionDecision): void {
    if (behavior === 'deny') this.denied();
    this.#endWait(toMs, `${behavior === 'allow' ? 'allowed' : 'denied'} by ${by}`);
  }

  denied(): void {
    this.#outcome = 'denied';
  }

  started(atMs: number, summary: string): void {
    this.#startMs ??= atMs;
    this.#endWait(atMs, 'allowed');
    if (summary !== '') this.#summary = summary;
  }

  /** The first end counts: results are told again when they are chained. */
  ended(atMs: number, outcome: 'ok' | 'error' | 'unknown', text: string): void {
    if (this.#endMs !== null) return;
    this.#endMs = atMs;
    this.#endWait(atMs, null);
    if (this.#outcome !== 'denied') this.#outcome = outcome;
    if (outcome !== 'ok') this.#failure = text;
  }

  /** `overMs`: when its query ended; null: that goes on. */
  toFacts(overMs: number | null): CallFacts {
    if (overMs !== null) this.#endWait(overMs, null);
    const isOpen = this.#outcome === 'running' && overMs !== null;
    return {
      id: this.id,
      recordId: this.recordId,
      name: this.#name,
      summary: this.#summary,
      fromMs: this.#startMs ?? this.#waits[0]?.fromMs ?? this.#toldMs,
      toMs: this.#endMs ?? overMs,
      outcome: isOpen ? 'none' : this.#outcome,
      failure: this.#failure,
      attempts: 1,
      lastAttemptMs: null,
      attemptFailure: '',
      worker: null,
      waits: this.#waits,
      subAgent: this.subAgent,
    };
  }

  #endWait(toMs: number, decision: string | null): void {
    const last = this.#waits.at(-1);
    if (last?.toMs === null) this.#waits.splice(-1, 1, { ...last, toMs, decision });
  }
}
