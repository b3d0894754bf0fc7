import { ROOT_CONTEXT, SpanKind, SpanStatusCode, TraceFlags, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { Resource, envDetectorSync } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  RandomIdGenerator,
  type IdGenerator,
} from '@opentelemetry/sdk-trace-base';
import type { Spans, SpanBegin, SpanEnd, OpenSpan } from './spans';
import type { TraceContext } from './trace-context';

/** How long a process that leaves waits for the receiver of its spans. */
const LONGEST_FLUSH_MS = 2_000;

/** Spans that go to the endpoint of `OTEL_EXPORTER_OTLP_*`, in batches; sampling and resource as `OTEL_*` say.
 *  A receiver that is away costs nothing but the spans. */
export function sendSpans(version: string): Spans {
  const ids = new GivenIds();
  const own = new Resource({ 'service.name': 'everloop', 'service.version': version });
  const exporter = new OTLPTraceExporter();
  const provider = new BasicTracerProvider({
    idGenerator: ids,
    resource: own.merge(envDetectorSync.detect()),
    spanProcessors: [new BatchSpanProcessor(exporter)],
  });
  const tracer = provider.getTracer('everloop', version);

  return {
    begin({ name, kind, parent, itself, startedAtMs, attributes }: SpanBegin): OpenSpan {
      ids.next = itself ?? null;
      const context = parent === null ? ROOT_CONTEXT : below(parent);
      const startTime = startedAtMs ?? Date.now();
      const span = tracer.startSpan(name, { kind: KINDS[kind], startTime, attributes }, context);
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        context: { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 },
        end({ attributes: learnt = {}, error = null }: SpanEnd = {}) {
          span.setAttributes({ ...learnt, ...(error !== null && { 'error.type': error }) });
          if (error !== null) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        },
      };
    },
    async flush() {
      const late = new Promise<void>((resolve) => {
        setTimeout(resolve, LONGEST_FLUSH_MS).unref();
      });
      // The provider sends what waits; the exporter knows what is on its way already.
      const sent = provider.forceFlush().then(() => exporter.forceFlush());
      await Promise.race([sent.catch(() => undefined), late]);
    },
  };
}

const KINDS = { client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const;

const below = ({ traceId, spanId, isSampled }: TraceContext) =>
  trace.setSpanContext(ROOT_CONTEXT, {
    traceId,
    spanId,
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
    isRemote: true,
  });

/** Random ids, but for a span that others have named already. */
class GivenIds implements IdGenerator {
  next: TraceContext | null = null;
  readonly #random = new RandomIdGenerator();

  generateTraceId(): string {
    return this.next?.traceId ?? this.#random.generateTraceId();
  }

  generateSpanId(): string {
    const given = this.next?.spanId;
    this.next = null;
    return given ?? this.#random.generateSpanId();
  }
}
