import type { Context, Pending, QueuedMessage } from '../loop/context';
import type { AgentEventSink } from './agent-event';
import type { AgentContext, AgentLoopConfig, AgentLoopTurnUpdate } from './config';
import type { AgentMessage } from './message';
import type { StreamFn } from './model';
import type { ToolBatch } from './tool-batch';

/** What one run works on. The loop's State refers to it and holds none of it. */
export interface Run {
  /** Replaced where a hook says so, as `config` is. */
  context: AgentContext;
  config: AgentLoopConfig;
  /** All that the run added, its prompts included. */
  readonly newMessages: AgentMessage[];
  /** Messages that a queue gave and the next request brings, by id. */
  readonly waiting: Map<string, AgentMessage>;
  /** The calls of the last reply. */
  batch: ToolBatch | null;
  readonly emit: AgentEventSink;
  readonly signal: AbortSignal | undefined;
  readonly streamFn: StreamFn;
}

export function isAborted({ signal }: Run): boolean {
  return signal?.aborted ?? false;
}

/** The context by reference: how many messages there are. */
export function leafOf({ context }: Run): string {
  return String(context.messages.length);
}

/** Keeps messages until the next request, which gets them by id. */
export function hold(run: Run, messages: readonly AgentMessage[]): QueuedMessage[] {
  return messages.map((message, index) => {
    const messageId = `${leafOf(run)}+${index}`;
    run.waiting.set(messageId, message);
    return { type: 'message', messageId };
  });
}

/** Results stand in the context as soon as their turn is over; only what was held is still to come. */
export function takeHeld(run: Run, { pending }: Context): AgentMessage[] {
  return pending.flatMap((item: Pending) => {
    const message = item.type === 'message' ? run.waiting.get(item.messageId) : undefined;
    return message ?? [];
  });
}

/** What a hook leaves out stays as it is. */
export function update(run: Run, changes: AgentLoopTurnUpdate | undefined): void {
  if (changes === undefined) return;
  const { context = run.context, model = run.config.model } = changes;
  const thinkingLevel = changes.thinkingLevel ?? run.config.reasoning ?? 'off';
  const config: AgentLoopConfig = { ...run.config, model };
  delete config.reasoning;
  run.context = context;
  run.config = thinkingLevel === 'off' ? config : { ...config, reasoning: thinkingLevel };
}

/** Tells a message that was not streamed. */
export async function tell(emit: AgentEventSink, message: AgentMessage): Promise<void> {
  await emit({ type: 'message_start', message });
  await emit({ type: 'message_end', message });
}
