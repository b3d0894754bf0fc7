import type { IncomingHttpHeaders } from 'node:http';
import type { MessageCreateParams } from '@anthropic-ai/sdk/resources/messages';
import type { Usage } from '../loop/usage';
import { outlineRequest, type RequestOutline } from './request-outline';

/** `client_left`: the client closed the connection before it had the whole answer. `cut`: the script did. */
export type Outcome = 'pending' | 'answered' | 'cut' | 'client_left';

const STREAM_KEY = Buffer.from('"stream"');
const STREAM_AT_END = Buffer.from('"stream":true}');

/** A request as it arrived. Body and outline are worked out when somebody looks. */
export class ScriptedRequest {
  /** Milliseconds since the epoch. */
  readonly arrivedAtMs = Date.now();
  readonly bodyBytes: number;
  /** Resolves when the answer is complete, cut, or no longer wanted. */
  readonly ended: Promise<void>;
  /** As reported to the client; null when the answer was no message. */
  usage: Usage | null = null;
  #rawBody: Buffer | undefined;
  #body: MessageCreateParams | undefined;
  #outline: RequestOutline | undefined;
  #outcome: Outcome = 'pending';
  #endedAtMs: number | null = null;
  #end!: () => void;

  constructor(
    readonly method: string,
    /** Without the query. */
    readonly path: string,
    readonly headers: IncomingHttpHeaders,
    rawBody: Buffer,
  ) {
    this.#rawBody = rawBody;
    this.bodyBytes = rawBody.length;
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  get rawBody(): Buffer {
    if (!this.#rawBody)
      throw new Error(
        `Body of ${this.path} (${this.bodyBytes} bytes) was dropped after the answer. Start the scripted model with keepBodies: true.`,
      );
    return this.#rawBody;
  }

  /** Fails: SyntaxError when the body is not JSON. */
  get body(): MessageCreateParams {
    return (this.#body ??= JSON.parse(this.rawBody.toString()) as MessageCreateParams);
  }

  get outline(): RequestOutline {
    return (this.#outline ??= outlineRequest(this.rawBody));
  }

  get isStreaming(): boolean {
    if (this.rawBody.subarray(-STREAM_AT_END.length).equals(STREAM_AT_END)) return true;
    if (!this.rawBody.includes(STREAM_KEY)) return false;
    const [start, end] = this.outline.fields.get('stream') ?? [0, 0];
    return this.rawBody.toString('latin1', start, end).trim() === 'true';
  }

  get outcome(): Outcome {
    return this.#outcome;
  }

  get clientLeft(): boolean {
    return this.#outcome === 'client_left';
  }

  /** Milliseconds since the epoch; null while the request is pending. */
  get endedAtMs(): number | null {
    return this.#endedAtMs;
  }

  /** For the model that answers; only the first call counts. */
  finish(outcome: Exclude<Outcome, 'pending'>): void {
    if (this.#outcome !== 'pending') return;
    this.#outcome = outcome;
    this.#endedAtMs = Date.now();
    this.#end();
  }

  /** JSON, without the body. */
  summary() {
    const { method, path, arrivedAtMs, endedAtMs, bodyBytes, outcome, usage } = this;
    return { method, path, arrivedAtMs, endedAtMs, bodyBytes, outcome, usage };
  }

  /** Lets megabytes go; for long runs. */
  dropBody(): void {
    this.#rawBody = undefined;
    this.#body = undefined;
    this.#outline = undefined;
  }
}
