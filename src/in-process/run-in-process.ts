import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import type {
  ContentBlockParam,
  MessageCreateParamsStreaming,
  RawMessageStreamEvent,
} from '@anthropic-ai/sdk/resources/messages';
import { attachmentRecord, userRecord, type RecordFacts } from '../activities/new-record';
import type { LoopDeps } from '../loop/deps';
import type { LoopEvent } from '../loop/events';
import type { ToolOutcome } from '../loop/outcomes';
import { DEFAULT_GATES, type Gates } from '../loop/gates';
import { queryLoop } from '../loop/query-loop';
import type { Terminal } from '../loop/terminal';
import type { Tool } from '../tools/tool';
import { callModel } from './call-model';
import { MemoryTranscript } from './memory-transcript';
import { chainPending } from './pending-records';
import { runTool } from './run-tool';

export interface InProcessOptions {
  readonly prompt: string | readonly ContentBlockParam[];
  /** Sends one request; `client.messages.create` of the Anthropic SDK fits. Ends when the signal aborts.
   *  Retries are its own: what it throws becomes the reply. */
  callApi(
    request: MessageCreateParamsStreaming,
    options: { readonly signal: AbortSignal },
  ): AsyncIterable<RawMessageStreamEvent> | Promise<AsyncIterable<RawMessageStreamEvent>>;
  readonly model: string;
  readonly tools?: readonly Tool[];
  readonly system?: readonly string[];
  /** Where tools work, and the folder that file tools may touch; omitted: that of the process. */
  readonly workingDirectory?: string;
  readonly maxTurns?: number;
  /** Omitted: 32,000, or 8,000 where output is capped. */
  readonly maxOutputTokens?: number;
  readonly maxToolConcurrency?: number;
  readonly gates?: Partial<Gates>;
  /** The conversation to go on with; omitted: a new one. */
  readonly transcript?: MemoryTranscript;
  readonly signal?: AbortSignal;
  /** What the user wrote since it was last asked; the model hears it after the next tool results. */
  takeSteering?(): readonly string[];
  /** Why a call may not run; null: it may. Omitted: every call may. */
  refuse?(tool: Tool, input: unknown): Promise<string | null>;
}

/** What one run is made of. */
export interface Run {
  readonly options: InProcessOptions;
  readonly tools: readonly Tool[];
  readonly transcript: MemoryTranscript;
  readonly workingDirectory: string;
  readonly maxOutputTokens: number;
  readonly stop: AbortSignal;
  readonly facts: () => RecordFacts;
}

/** The loop of the `query` Workflow in this process: nothing is durable, and nothing is read from the stream
 *  before the consumer asks for it. `.return()` stops the request and the tools, and waits until they ended. */
export async function* runInProcess(
  options: InProcessOptions,
): AsyncGenerator<LoopEvent, Terminal> {
  const ending = new AbortController();
  const { signal = ending.signal } = options;
  const gates = { ...DEFAULT_GATES, ...options.gates };
  const workingDirectory = realpathSync(options.workingDirectory ?? process.cwd());
  const transcript = options.transcript ?? new MemoryTranscript();
  const { sessionId, leaf } = transcript;
  const run: Run = {
    options,
    tools: options.tools ?? [],
    transcript,
    workingDirectory,
    maxOutputTokens: options.maxOutputTokens ?? (gates.cappedOutput ? 8_000 : 32_000),
    stop: AbortSignal.any([ending.signal, signal]),
    facts: () => ({
      sessionId,
      cwd: workingDirectory,
      timestamp: new Date().toISOString(),
      version: 'in-process',
    }),
  };
  const prompt = userRecord(run.facts(), options.prompt);
  transcript.hold(prompt);
  const running = new Set<Promise<ToolOutcome>>();
  const loop = queryLoop(
    {
      messages: { leaf, pending: [{ type: 'message', messageId: prompt.uuid }] },
      toolUseContext: {
        model: options.model,
        permissionMode: 'default',
        workingDirectory,
        queryTracking: { chainId: randomUUID(), depth: 0 },
      },
      maxTurns: options.maxTurns ?? null,
      maxOutputTokensOverride: null,
      maxToolConcurrency: options.maxToolConcurrency ?? 10,
      gates,
      carry: null,
    },
    createDeps(run, running),
  );
  try {
    for (;;) {
      const step = await loop.next();
      if (step.done === true) return step.value;
      if (step.value.type === 'end') chainPending(transcript, step.value.messages, run.facts());
      yield step.value;
    }
  } finally {
    ending.abort();
    await loop.return(undefined as never);
    await Promise.all(running);
  }
}

function createDeps(run: Run, running: Set<Promise<ToolOutcome>>): LoopDeps {
  return {
    callModel: (request) => callModel(run, request),
    runTool(call) {
      const outcome = runTool(run, call);
      running.add(outcome);
      return outcome.finally(() => running.delete(outcome));
    },
    takeQueued() {
      const texts = run.options.takeSteering?.() ?? [];
      return texts.map((text) => {
        const record = attachmentRecord(run.facts(), 'queued_message', steeringText(text));
        run.transcript.hold(record);
        return { type: 'message', messageId: record.uuid, steering: true } as const;
      });
    },
    abortReason: () => (run.stop.aborted ? 'user' : null),
  };
}

const steeringText = (text: string): string =>
  `<system-reminder>\nThe user wrote this while you were working:\n${text}\n\nTake it into account now, and make sure that it is answered when the current work is done.\n</system-reminder>`;
