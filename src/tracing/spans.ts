import type { TraceContext } from './trace-context';

/** Where spans go. What they say is numbers and names: no content of messages, no texts of errors. */
export interface Spans {
  begin(span: SpanBegin): OpenSpan;
  /** Before the process leaves. Never fails, and takes a few seconds at most. */
  flush(): Promise<void>;
}

export interface SpanBegin {
  readonly name: string;
  readonly kind: 'client' | 'internal';
  /** null: it is the root of a trace. */
  readonly parent: TraceContext | null;
  /** Ids that others know already; absent: random ones. */
  readonly itself?: TraceContext;
  /** ms since the epoch; absent: now. */
  readonly startedAtMs?: number;
  readonly attributes: SpanAttributes;
}

export interface OpenSpan {
  readonly context: TraceContext;
  /** A span that is never ended is never told. */
  end(of?: SpanEnd): void;
}

export interface SpanEnd {
  readonly attributes?: SpanAttributes;
  /** Kind of the failure, one of few; null, or absent: it went well. */
  readonly error?: string | null;
}

export type SpanAttributes = Readonly<Record<string, string | number | string[]>>;

let sending: Promise<Spans> | null = null;

/** The spans of this process. What sends them is loaded now, by those who want traces. `send`: another way, for the
 *  first who asks. */
export function spansOf(
  version: string,
  send: (version: string) => Spans | Promise<Spans> = loaded,
): Promise<Spans> {
  sending ??= Promise.resolve(send(version));
  return sending;
}

async function loaded(version: string): Promise<Spans> {
  return (await import('./tracing.js')).sendSpans(version);
}

/** What was not sent yet is. Does nothing where there are no traces. */
export async function flushSpans(): Promise<void> {
  await (await sending?.catch(() => null))?.flush();
}
