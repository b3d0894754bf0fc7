import { createHash } from 'node:crypto';

/** A place in a trace, as W3C Trace Context has it. Ids are lowercase hex. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

/** Where the spans of a query belong. */
export interface QueryTrace {
  /** The query's own span: everybody who works for it knows it before it is told. */
  readonly query: TraceContext;
  /** Span of whoever asked; null: the query is the root of its trace. */
  readonly parent: TraceContext | null;
}

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** null: it is none, and there is a new trace. */
export function fromTraceparent(text: string | null | undefined): TraceContext | null {
  const [, traceId, spanId, flags = ''] = TRACEPARENT.exec(text ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export const toTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/** The trace of a query, from its Workflow id and what its message says: whoever works for the query comes to the
 *  same ids, so that none of them has to travel through the Workflow. */
export function queryTrace(workflowId: string, traceparent: string | undefined): QueryTrace {
  const parent = fromTraceparent(traceparent);
  const hex = createHash('sha256').update(workflowId).digest('hex');
  return {
    parent,
    query: {
      traceId: parent?.traceId ?? hex.slice(0, 32),
      spanId: hex.slice(32, 48),
      isSampled: parent?.isSampled ?? true,
    },
  };
}
