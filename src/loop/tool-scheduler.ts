import type { ToolUse } from './context';
import type { ToolOutcome } from './deps';

/** Decides which calls of one reply may overlap (spec/loop 4.13–4.16, 4.23).
 *  Calls start as early as the rules allow; results are released in the order of the request. */
export interface ToolScheduler {
  /** Starts a safe call whose reply still streams. */
  addEarly(stream: string, toolUse: ToolUse): void;
  /** Takes the calls of the kept reply, in order. Early calls of any other stream are void from here on. */
  addAll(stream: string, toolUses: readonly ToolUse[]): void;
  /** One result per call of the kept reply, in request order. Ends when nothing runs any more. */
  results(): AsyncGenerator<ToolResultReady, void>;
}

export interface ToolResultReady {
  readonly toolUse: ToolUse;
  readonly outcome: ToolOutcome;
}

export interface SchedulerOptions {
  run(toolUse: ToolUse): Promise<ToolOutcome>;
  /** false: calls that wait are interrupted instead of started. */
  mayStart(): boolean;
  readonly maxConcurrency: number;
}

interface Call {
  readonly stream: string;
  readonly toolUse: ToolUse;
  status: 'queued' | 'executing' | 'completed';
  readonly finished: Promise<ToolOutcome>;
  finish(outcome: ToolOutcome | Promise<ToolOutcome>): void;
}

const INTERRUPTED: ToolOutcome = { type: 'interrupted' };

export function createToolScheduler(options: SchedulerOptions): ToolScheduler {
  let calls: Call[] = [];
  const discarded: Promise<ToolOutcome>[] = [];

  const newCall = (stream: string, toolUse: ToolUse): Call => {
    let finish!: Call['finish'];
    const finished = new Promise<ToolOutcome>((resolve) => (finish = resolve));
    return { stream, toolUse, status: 'queued', finished, finish };
  };

  const mayRun = (call: Call): boolean => {
    const executing = calls.filter((other) => other.status === 'executing');
    if (executing.length === 0) return true;
    return (
      executing.length < options.maxConcurrency &&
      call.toolUse.isConcurrencySafe &&
      executing.every((other) => other.toolUse.isConcurrencySafe)
    );
  };

  const start = (call: Call): void => {
    call.status = 'executing';
    call.finish(
      options.run(call.toolUse).finally(() => {
        call.status = 'completed';
        startWhatMay();
      }),
    );
  };

  // The queue is walked in order: a blocked exclusive call keeps everything behind it waiting.
  const startWhatMay = (): void => {
    for (const call of calls) {
      if (call.status !== 'queued') continue;
      if (!options.mayStart()) {
        call.status = 'completed';
        call.finish(INTERRUPTED);
      } else if (mayRun(call)) start(call);
      else if (!call.toolUse.isConcurrencySafe) return;
    }
  };

  return {
    addEarly(stream, toolUse) {
      calls.push(newCall(stream, toolUse));
      startWhatMay();
    },

    addAll(stream, toolUses) {
      const early = calls;
      const kept = (toolUse: ToolUse) =>
        early.find((call) => call.stream === stream && call.toolUse.recordId === toolUse.recordId);
      calls = toolUses.map((toolUse) => kept(toolUse) ?? newCall(stream, toolUse));
      // One that still waits never starts, so there is nothing to wait for (spec/loop 4.21).
      const isVoid = (call: Call) => call.status === 'executing' && !calls.includes(call);
      discarded.push(...early.filter(isVoid).map((call) => call.finished));
      startWhatMay();
    },

    async *results() {
      for (const call of calls) yield { toolUse: call.toolUse, outcome: await call.finished };
      await Promise.all(discarded);
    },
  };
}
