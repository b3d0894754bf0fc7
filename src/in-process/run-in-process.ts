import { randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { userRecord } from '../activities/new-record';
import type { LoopEvent } from '../loop/events';
import { DEFAULT_GATES } from '../loop/gates';
import { endAtMoneyLimit } from '../loop/money-limit';
import type { ToolOutcome } from '../loop/outcomes';
import { queryLoop } from '../loop/query-loop';
import type { QueryParams } from '../loop/query-params';
import { Tally } from '../loop/tally';
import type { Terminal } from '../loop/terminal';
import { createLoopDeps } from './loop-deps';
import { MemoryTranscript } from './memory-transcript';
import type { InProcessOptions } from './options';
import { chainPending } from './pending-records';
import type { Run } from './run';

/** The loop of the `query` Workflow in this process: nothing is durable, and nothing is read from the stream
 *  before the consumer asks for it. `.return()` stops the request and the tools, and waits until they ended. */
export async function* runInProcess(
  options: InProcessOptions,
): AsyncGenerator<LoopEvent, Terminal> {
  const ending = new AbortController();
  const run = toRun(options, AbortSignal.any([ending.signal, options.signal ?? ending.signal]));
  const { transcript } = run;
  const params = toParams(run);
  const running = new Set<Promise<ToolOutcome>>();
  const loop = queryLoop(params, createLoopDeps(run, running));
  const keep = ({ messages }: Extract<LoopEvent, { type: 'end' }>): void => {
    chainPending(transcript, messages, run.facts());
  };
  let tally = Tally.start(Date.now());
  try {
    for (;;) {
      const step = await loop.next();
      if (step.done === true) return step.value;
      const event = step.value;
      if (event.type === 'end') {
        keep(event);
        transcript.autoCompactTracking = event.autoCompactTracking ?? null;
      }
      tally = Tally.after(tally, event);
      yield event;
      const end = endAtMoneyLimit(params, event, tally);
      if (end === null) continue;
      keep(end);
      yield end;
      return end.terminal;
    }
  } finally {
    ending.abort();
    await loop.return(undefined as never);
    await Promise.all(running);
  }
}

function toRun(options: InProcessOptions, stop: AbortSignal): Run {
  const { tools = [], transcript = new MemoryTranscript(), tokenBudget } = options;
  const gates = {
    ...DEFAULT_GATES,
    ...(tokenBudget !== undefined && { tokenBudget: true }),
    ...options.gates,
  };
  const workingDirectory = realpathSync(options.workingDirectory ?? process.cwd());
  const maxOutputTokens = options.maxOutputTokens ?? (gates.cappedOutput ? 8_000 : 32_000);
  const facts: Run['facts'] = () => ({
    sessionId: transcript.sessionId,
    cwd: workingDirectory,
    timestamp: new Date().toISOString(),
    version: 'in-process',
  });
  return { options, tools, transcript, workingDirectory, maxOutputTokens, gates, stop, facts };
}

function toParams({ options, transcript, workingDirectory, gates, facts }: Run): QueryParams {
  const { leaf, autoCompactTracking } = transcript;
  const prompt = userRecord(facts(), options.prompt);
  transcript.hold(prompt);
  return {
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
    autoCompactTracking,
    taskBudget: options.taskBudget ?? null,
    tokenBudget: options.tokenBudget ?? null,
    maxBudgetUsd: options.maxBudgetUsd ?? null,
    carry: null,
  };
}
