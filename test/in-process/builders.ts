import { APIError } from '@anthropic-ai/sdk';
import type {
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages';
import { z } from 'zod';
import { runInProcess, type InProcessOptions } from '../../src/in-process';
import { defineTool, type Tool } from '../../src/tools/tool';
import type { LoopEvent } from '../../src/loop/events';
import { NO_USAGE } from '../../src/loop/usage';
import type { Terminal } from '../../src/loop/terminal';
import { requireValidConversation } from '../../src/scripted-model/conversation-rules';
import type { Reply, ReplyBlock } from '../../src/scripted-model/reply';
import { streamSteps } from '../../src/scripted-model/reply-steps';

/** A model that is a plain function: plays replies and errors in order and refuses what the API would refuse. */
export interface PlainModel {
  readonly callApi: InProcessOptions['callApi'];
  readonly requests: MessageCreateParamsStreaming[];
  /** Events that were read so far, of all requests. */
  eventsRead: number;
  streamsClosed: number;
}

export function plainModel(...replies: readonly (Reply | Error)[]): PlainModel {
  const model: PlainModel = {
    requests: [],
    eventsRead: 0,
    streamsClosed: 0,
    async *callApi(request) {
      const index = model.requests.push(structuredClone(request)) - 1;
      requireValidConversation(request.messages);
      const reply = replies[index];
      if (reply === undefined) throw new Error(`No reply for request ${index + 1}.`);
      if (reply instanceof Error) throw reply;
      try {
        for (const event of eventsOf(reply, index)) {
          model.eventsRead += 1;
          yield event;
        }
      } finally {
        model.streamsClosed += 1;
      }
    },
  };
  return model;
}

function* eventsOf(reply: Reply, replyIndex: number): Generator<RawMessageStreamEvent> {
  const envelope = {
    messageId: `message-${replyIndex}`,
    replyIndex,
    usage: { ...NO_USAGE, ...reply.usage },
  };
  for (const step of streamSteps(reply, envelope)) {
    if (typeof step === 'string') yield toEvent(step);
  }
}

function toEvent(text: string): RawMessageStreamEvent {
  return JSON.parse(text.slice(text.indexOf('data: ') + 'data: '.length)) as RawMessageStreamEvent;
}

export const says = (text: string, usage: Reply['usage'] = {}): Reply => ({
  content: [{ type: 'text', text }],
  usage,
});

/** What the client throws when the API finds a request too large. */
export const tooLong = (): Error =>
  APIError.generate(
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'prompt is too long: 210000 tokens > 200000 maximum',
      },
    },
    undefined,
    new Headers(),
  );

export const textOf = (request: MessageCreateParamsStreaming | undefined): string =>
  JSON.stringify(request?.messages);

export const calls = (...content: readonly ReplyBlock[]): Reply => ({ content });

export const use = (name: string, input: unknown = {}): ReplyBlock => ({
  type: 'tool_use',
  name,
  input,
});

/** A tool without input; by default mutating, and done at once. */
export function tool(name: string, changes: Partial<Tool<object>> = {}): Tool {
  return defineTool<object>({
    name,
    description: name,
    inputSchema: z.strictObject({}),
    summarize: () => '',
    call: () => Promise.resolve({ content: `${name} is done`, structured: null }),
    ...changes,
  });
}

export interface InProcessRun {
  readonly events: readonly LoopEvent[];
  readonly terminal: Terminal;
}

/** Drives a run to its end. `onEvent` runs before the next event is asked for. */
export async function runToEnd(
  options: InProcessOptions,
  onEvent: (event: LoopEvent) => void | Promise<void> = () => undefined,
): Promise<InProcessRun> {
  const run = runInProcess(options);
  const events: LoopEvent[] = [];
  for (;;) {
    const step = await run.next();
    if (step.done === true) return { events, terminal: step.value };
    events.push(step.value);
    await onEvent(step.value);
  }
}

/** What the last message of a request says, one entry a block. */
export function lastMessage(request: MessageCreateParamsStreaming | undefined): readonly unknown[] {
  const content = request?.messages.at(-1)?.content ?? [];
  return typeof content === 'string' ? [content] : content;
}
