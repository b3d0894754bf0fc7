import { ApplicationFailure } from '@temporalio/common';
import type { CompactOutcome } from '../loop/compaction';
import type { ToolUseRef } from '../loop/context';
import type { ModelOutcome } from '../loop/outcomes';
import { costOfQuery } from '../loop/tally';
import type { Terminal } from '../loop/terminal';
import { addUsage, NO_USAGE, type Usage } from '../loop/usage';
import { fromQueryWorkflowId } from '../loop/workflow-id';
import type { SpanAttributes, SpanBegin, SpanEnd, Spans } from '../tracing/spans';
import { queryTrace, toTraceparent, type QueryTrace } from '../tracing/trace-context';
import type { Attempt } from './attempt';
import type { Activities, FinishQueryInput } from './interface';
import { findCall } from './run-tool/find-call';
import type { ServedSessions } from './served-sessions';

type Work<T> = (attempt: Attempt) => Promise<T>;
type RanTool = Awaited<ReturnType<Activities['runTool']>>;

/** The spans of queries, as the conventions for generative AI name them: one per attempt of a model call and of a
 *  tool call, and one for each query, told when it ends. An attempt whose process dies tells nothing. */
export class QuerySpans {
  readonly #spans: Promise<Spans>;
  readonly #sessions: ServedSessions;

  constructor(spans: Promise<Spans>, sessions: ServedSessions) {
    this.#spans = spans;
    this.#sessions = sessions;
  }

  chat(attempt: Attempt, model: string, work: Work<ModelOutcome>): Promise<ModelOutcome> {
    return this.#around(attempt, chatWith(model), work, (outcome) => {
      if (outcome.type === 'interrupted') return { error: 'interrupted' };
      // Nothing was sent: it was no call.
      if (outcome.type !== 'reply') return null;
      const { stopReason, apiError } = outcome;
      return {
        attributes: {
          'gen_ai.response.model': outcome.model,
          ...(stopReason !== null && { 'gen_ai.response.finish_reasons': [stopReason] }),
          ...usageAttributes(outcome.usage),
        },
        error: apiError,
      };
    });
  }

  compact(attempt: Attempt, model: string, work: Work<CompactOutcome>): Promise<CompactOutcome> {
    const { name, kind, attributes } = chatWith(model);
    const summary = { name, kind, attributes: { ...attributes, 'everloop.purpose': 'compact' } };
    return this.#around(attempt, summary, work, (outcome) => {
      if (outcome.type === 'refused') return null;
      if (outcome.type !== 'compacted') return { error: outcome.type };
      return { attributes: usageAttributes(outcome.costs.usage) };
    });
  }

  async tool(attempt: Attempt, call: ToolUseRef, work: Work<RanTool>): Promise<RanTool> {
    const tool = await this.#nameOf(attempt, call);
    const execution = {
      name: `execute_tool ${tool}`,
      kind: 'internal',
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
        'gen_ai.tool.call.id': call.id,
        'gen_ai.tool.type': 'function',
      },
    } as const;
    return this.#around(attempt, execution, work, (outcome) => {
      if (outcome.type !== 'done') return { attributes: { 'everloop.outcome': outcome.type } };
      if (outcome.denied === true) return { error: 'denied' };
      return { error: outcome.isError ? 'tool_error' : null };
    });
  }

  /** The whole query, when its end is on record. */
  async ended(attempt: Attempt, { tally, terminal }: FinishQueryInput): Promise<void> {
    const trace = await this.#traceOf(attempt.workflowId);
    const spans = await this.#spans.catch(() => null);
    const models = Object.keys(tally.usageByModel);
    const usage = Object.values(tally.usageByModel).reduce(addUsage, NO_USAGE);
    spans
      ?.begin({
        name: 'invoke_agent everloop',
        kind: 'internal',
        parent: trace.parent,
        itself: trace.query,
        startedAtMs: tally.startedAtMs,
        attributes: {
          ...commonTo(attempt),
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'everloop',
          ...(models[0] !== undefined && { 'gen_ai.request.model': models[0] }),
          ...usageAttributes(usage),
          'everloop.cost_usd': costOfQuery(tally),
          'everloop.turns': tally.numTurns,
          'everloop.terminal': terminal.reason,
        },
      })
      .end({ error: FAILURES.has(terminal.reason) ? terminal.reason : null });
  }

  async #around<T>(
    attempt: Attempt,
    of: Pick<SpanBegin, 'name' | 'kind' | 'attributes'>,
    work: Work<T>,
    endOf: (outcome: T) => SpanEnd | null,
  ): Promise<T> {
    const { query } = await this.#traceOf(attempt.workflowId);
    const spans = await this.#spans.catch(() => null);
    if (spans === null) return work(attempt);
    const attributes = { ...commonTo(attempt), ...of.attributes };
    const span = spans.begin({ ...of, attributes, parent: query });
    try {
      const outcome = await work({ ...attempt, traceparent: toTraceparent(span.context) });
      const end = endOf(outcome);
      if (end !== null) span.end(end);
      return outcome;
    } catch (error) {
      span.end({ error: kindOf(error) });
      throw error;
    }
  }

  /** What cannot be read now is the work's own failure, and not that of its span. */
  async #traceOf(workflowId: string): Promise<QueryTrace> {
    const message = await this.#sessions
      .serve(workflowId)
      .then(({ store }) => store.findMessage(fromQueryWorkflowId(workflowId).promptId))
      .catch(() => undefined);
    return queryTrace(workflowId, message?.traceparent);
  }

  async #nameOf({ workflowId }: Attempt, call: ToolUseRef): Promise<string> {
    const found = await this.#sessions
      .serve(workflowId)
      .then((session) => findCall(session, call))
      .catch(() => undefined);
    return found?.name ?? 'unknown';
  }
}

/** Ends that nobody chose. */
const FAILURES: ReadonlySet<Terminal['reason']> = new Set([
  'model_error',
  'blocking_limit',
  'prompt_too_long',
  'image_error',
  'rapid_refill_breaker',
  'structured_output_retry_exhausted',
]);

const chatWith = (model: string) =>
  ({
    name: `chat ${model}`,
    kind: 'client',
    attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': model },
  }) as const;

const commonTo = ({ workflowId, number }: Attempt): SpanAttributes => ({
  'gen_ai.system': 'anthropic',
  'gen_ai.provider.name': 'anthropic',
  'gen_ai.conversation.id': fromQueryWorkflowId(workflowId).sessionId,
  'everloop.query.id': workflowId,
  'everloop.attempt': number,
});

/** The conventions count what came from the cache as input, too. */
const usageAttributes = (usage: Usage): SpanAttributes => ({
  'gen_ai.usage.input_tokens':
    usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens,
  'gen_ai.usage.output_tokens': usage.output_tokens,
  'gen_ai.usage.cache_read.input_tokens': usage.cache_read_input_tokens,
  'gen_ai.usage.cache_creation.input_tokens': usage.cache_creation_input_tokens,
});

/** Never its text, which may hold what a tool or a model said. */
function kindOf(error: unknown): string {
  if (error instanceof ApplicationFailure) return error.type ?? 'ApplicationFailure';
  return error instanceof Error ? error.name : 'unknown';
}
