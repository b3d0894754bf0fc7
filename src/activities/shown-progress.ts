import { preview } from '../redact/preview';

/** What the Temporal UI and `everloop show` tell of an Activity that runs. */
export interface ProgressDetails {
  readonly elapsedSeconds: number;
  /** At most 200 characters, redacted. Absent: nothing was reported. */
  readonly doing?: string;
}

/** The heartbeat details of one attempt. What is reported is looked at when a heartbeat is due, not before. */
export class ShownProgress {
  readonly #startedAtMs = performance.now();
  #doing: string | null = null;
  #preview: { readonly of: string; readonly text: string } | null = null;

  report(doing: string): void {
    this.#doing = doing;
  }

  details(): ProgressDetails {
    const elapsedSeconds = Math.round((performance.now() - this.#startedAtMs) / 1_000);
    const doing = this.#doing;
    if (doing === null) return { elapsedSeconds };
    if (this.#preview?.of !== doing) this.#preview = { of: doing, text: preview(doing) };
    return { elapsedSeconds, doing: this.#preview.text };
  }
}
