import type { ToolUse } from './context';
import type { ToolOutcome } from './outcomes';

/** Decides which calls of one reply may overlap (spec/loop 4.13–4.16, 4.23).
 *  Calls start as early as the rules allow; results are released in the order of the request. */
export interface ToolScheduler {
  /** Starts a safe call whose reply still streams. */
  addEarly(stream: string, toolUse: ToolUse): void;
  /** Takes the calls of the kept reply, in order. Early calls of any other stream are void from here on. */
  addAll(stream: string, toolUses: readonly ToolUse[]): void;
  /** One per call of the kept reply, in request order. */
  results(): readonly PendingResult[];
  /** Calls that are void and still run. */
  voided(): readonly Promise<ToolOutcome>[];
}

export interface PendingResult {
  readonly toolUse: ToolUse;
  readonly outcome: Promise<ToolOutcome>;
}

export interface SchedulerOptions {
  /** `unwanted` settles when a call beside it failed in a way that makes this one pointless. */
  run(toolUse: ToolUse, unwanted?: Promise<void>): Promise<ToolOutcome>;
  /** false: calls that wait are interrupted instead of started. */
  mayStart(): boolean;
  readonly maxConcurrency: number;
  /** A failing Bash call ends the calls beside it (spec/loop 4.18). */
  readonly siblingAbort: boolean;
}

/** The calls of one stream: whatever breaks those of a stream that was given up leaves the kept ones alone. */
interface Siblings {
  isBroken: boolean;
  readonly broken: Promise<void>;
  onBroken(): void;
}

function newSiblings(): Siblings {
  let onBroken!: () => void;
  const broken = new Promise<void>((resolve) => (onBroken = resolve));
  return { isBroken: false, broken, onBroken };
}

interface Call {
  readonly stream: string;
  readonly siblings: Siblings;
  readonly toolUse: ToolUse;
  status: 'queued' | 'executing' | 'completed';
  readonly finished: Promise<ToolOutcome>;
  finish(outcome: ToolOutcome | Promise<ToolOutcome>): void;
}

const INTERRUPTED: ToolOutcome = { type: 'interrupted' };
const SIBLING_ERROR: ToolOutcome = { type: 'sibling_error' };

const breaksSiblings = ({ name }: ToolUse, outcome: ToolOutcome): boolean =>
  name === 'Bash' && outcome.type === 'done' && outcome.isError;

export function createToolScheduler(options: SchedulerOptions): ToolScheduler {
  let calls: Call[] = [];
  const discarded: Promise<ToolOutcome>[] = [];
  const byStream = new Map<string, Siblings>();

  const siblingsIn = (stream: string): Siblings => {
    const siblings = byStream.get(stream) ?? newSiblings();
    byStream.set(stream, siblings);
    return siblings;
  };

  const newCall = (stream: string, toolUse: ToolUse): Call => {
    let finish!: Call['finish'];
    const finished = new Promise<ToolOutcome>((resolve) => (finish = resolve));
    const siblings = siblingsIn(stream);
    return { stream, siblings, toolUse, status: 'queued', finished, finish };
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
    const unwanted = options.siblingAbort ? call.siblings.broken : undefined;
    call.finish(options.run(call.toolUse, unwanted).then((outcome) => settle(call, outcome)));
  };

  const settle = (call: Call, outcome: ToolOutcome): ToolOutcome => {
    const { siblings } = call;
    const wasBroken = siblings.isBroken;
    call.status = 'completed';
    if (options.siblingAbort && breaksSiblings(call.toolUse, outcome)) {
      siblings.isBroken = true;
      siblings.onBroken();
    }
    startWhatMay();
    return wasBroken && outcome.type === 'interrupted' ? SIBLING_ERROR : outcome;
  };

  // The queue is walked in order: a blocked exclusive call keeps everything behind it waiting.
  const startWhatMay = (): void => {
    for (const call of calls) {
      if (call.status !== 'queued') continue;
      const { isBroken } = call.siblings;
      if (isBroken || !options.mayStart()) {
        call.status = 'completed';
        call.finish(isBroken ? SIBLING_ERROR : INTERRUPTED);
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

    results: () => calls.map(({ toolUse, finished }) => ({ toolUse, outcome: finished })),
    voided: () => discarded,
  };
}
