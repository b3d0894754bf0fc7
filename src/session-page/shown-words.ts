import { preview } from '../redact/preview';
import type { UiDetail } from '../visibility/ui-detail';
import type { CallFacts, Mark, QueryFacts } from './facts';

/** The words that a page may show: redacted, one line, at most 200 characters, and no more of them than people are to
 *  see in the Temporal UI. */
export class ShownWords {
  readonly #detail: UiDetail;
  readonly #ofPrompts: ReadonlyMap<string, UiDetail>;

  /** `ofPrompts`: what messages were sent with, by their id. The stricter counts. */
  constructor(detail: UiDetail, ofPrompts: ReadonlyMap<string, UiDetail> = new Map()) {
    this.#detail = detail;
    this.#ofPrompts = ofPrompts;
  }

  /** For what a query and its sub-agents said. */
  of({ promptId }: Pick<QueryFacts, 'promptId'>): ShownWords {
    const own = this.#ofPrompts.get(promptId) ?? 'full';
    return new ShownWords(STRICTNESS[own] > STRICTNESS[this.#detail] ? own : this.#detail);
  }

  get isFull(): boolean {
    return this.#detail === 'full';
  }

  /** Anything that was said: a prompt, a failure, a notice. */
  text(said: string): string {
    return this.isFull ? preview(said) : '';
  }

  tool({ name }: Pick<CallFacts, 'name'>): string {
    return this.#detail === 'none' ? 'a tool' : preview(name);
  }

  /** "Bash npm test" */
  call(call: Pick<CallFacts, 'name' | 'summary'>): string {
    return `${this.tool(call)} ${this.text(call.summary)}`.trim();
  }

  mark({ label, text }: Mark): string {
    const said = this.text(text);
    return said === '' ? label : `${label}: ${said}`;
  }
}

const STRICTNESS: Readonly<Record<UiDetail, number>> = { full: 0, names: 1, none: 2 };
