import type { AgentEvent, AgentEventSink } from './agent-event';
import type { AgentContext, AgentLoopConfig } from './config';
import { EventStream } from './event-stream';
import type { AgentMessage } from './message';
import type { StreamFn } from './model';
import { tell, type Run } from './run';
import { runLoop } from './run-loop';
import { streamAnthropic } from './stream-anthropic';

/** Starts a run with new messages. Its events can be read at any pace: the run waits for nobody.
 *  What a hook throws is thrown to the reader. The given context stays as it is. */
export function agentLoop(
  prompts: AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): EventStream<AgentEvent, AgentMessage[]> {
  return streamed((emit) => runAgentLoop(prompts, context, config, emit, signal, streamFn));
}

/** Starts a run on a context as it stands, to try again. Its last message must be one that a model can answer.
 *  What is new is added to the given context too.
 *  Fails: plain Error, at once, for an empty context and for one that ends with a reply. */
export function agentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  signal?: AbortSignal,
  streamFn?: StreamFn,
): EventStream<AgentEvent, AgentMessage[]> {
  requireAnswerable(context);
  return streamed((emit) => runAgentLoopContinue(context, config, emit, signal, streamFn));
}

/** Like `agentLoop`, but every event is heard before the run goes on. Returns the new messages. */
export async function runAgentLoop(
  prompts: AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  emit: AgentEventSink,
  signal?: AbortSignal,
  streamFn: StreamFn = streamAnthropic,
): Promise<AgentMessage[]> {
  const messages = [...context.messages, ...prompts];
  const run = createRun({ ...context, messages }, config, { emit, signal, streamFn });
  run.newMessages.push(...prompts);
  await emit({ type: 'agent_start' });
  await emit({ type: 'turn_start' });
  for (const prompt of prompts) await tell(emit, prompt);
  await runLoop(run);
  return run.newMessages;
}

/** Like `agentLoopContinue`, but every event is heard before the run goes on. */
export async function runAgentLoopContinue(
  context: AgentContext,
  config: AgentLoopConfig,
  emit: AgentEventSink,
  signal?: AbortSignal,
  streamFn: StreamFn = streamAnthropic,
): Promise<AgentMessage[]> {
  requireAnswerable(context);
  const run = createRun({ ...context }, config, { emit, signal, streamFn });
  await emit({ type: 'agent_start' });
  await emit({ type: 'turn_start' });
  await runLoop(run);
  return run.newMessages;
}

function createRun(
  context: AgentContext,
  config: AgentLoopConfig,
  surroundings: Pick<Run, 'emit' | 'signal' | 'streamFn'>,
): Run {
  return { ...surroundings, context, config, newMessages: [], waiting: new Map(), batch: null };
}

function streamed(
  start: (emit: AgentEventSink) => Promise<AgentMessage[]>,
): EventStream<AgentEvent, AgentMessage[]> {
  const stream = new EventStream<AgentEvent, AgentMessage[]>(
    ({ type }) => type === 'agent_end',
    (event) => (event.type === 'agent_end' ? event.messages : []),
  );
  start((event) => stream.push(event)).then(
    (messages) => stream.end(messages),
    (error: unknown) => stream.fail(error),
  );
  return stream;
}

function requireAnswerable({ messages }: AgentContext): void {
  const last = messages.at(-1);
  if (last === undefined) throw new Error('Cannot continue: the context has no messages.');
  if (last.role === 'assistant') {
    throw new Error('Cannot continue: the context ends with an assistant message.');
  }
}
