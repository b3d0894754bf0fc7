import type { Client } from '@temporalio/client';
import { queryWorkflowId } from '../loop/workflow-id';
import type { Spans } from '../tracing/spans';
import { fromTraceparent, toTraceparent } from '../tracing/trace-context';
import type { InboxMessage } from '../transcript/message';
import { sessionWorkflowId } from '../transcript/place';
import type { SessionStore } from '../transcript/store';
import { AgentClient, type SessionLimits } from './agent-client';

/** Tells a span for each message that it hands over. The message names the span, so that what its query does becomes
 *  part of the same trace, wherever that is done. */
export class TracedAgentClient extends AgentClient {
  readonly #place: string;
  readonly #spans: Promise<Spans>;
  /** Trace that this process is part of; null: each message begins one. */
  readonly #traceparent: string | null;

  constructor(
    client: Client,
    place: string,
    limits: SessionLimits,
    traces: { readonly spans: Promise<Spans>; readonly traceparent: string | null },
  ) {
    super(client, place, limits);
    this.#place = place;
    this.#spans = traces.spans;
    this.#traceparent = traces.traceparent;
  }

  override async submit(
    session: SessionStore,
    message: InboxMessage,
    options: Parameters<AgentClient['submit']>[2],
  ): Promise<void> {
    const { sessionId } = session.meta;
    const span = (await this.#spans).begin({
      name: 'submit message',
      kind: 'client',
      parent: fromTraceparent(this.#traceparent),
      attributes: {
        'gen_ai.conversation.id': sessionId,
        'everloop.query.id': queryWorkflowId(sessionWorkflowId(this.#place, sessionId), message.id),
      },
    });
    try {
      const traceparent = toTraceparent(span.context);
      await super.submit(session, { ...message, traceparent }, options);
      span.end();
    } catch (error) {
      span.end({ error: error instanceof Error ? error.name : 'unknown' });
      throw error;
    }
  }
}
